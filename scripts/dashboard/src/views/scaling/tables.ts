// The figures of the curves: what each server did at each width, and the law that it follows.
import { written } from '../../charts/speed-up';
import type * as Published from '../../data/generated/published';
import { subjectName } from '../../data/names';
import type { ScalingCurve, ScalingFigure, ScalingPoint } from '../../data/types';
import { verdictLabel } from '../../data/verdicts';
import { h } from '../../ui/dom';
import { MISSING, number, plural } from '../../ui/format';
import { type Column, table } from '../../ui/table';

/** A table for each figure: a row for each server, a column for each width. */
export function figuresTables(curves: ScalingCurve[], widths: number[]): HTMLElement[] {
  const of = (caption: string, cell: (point: ScalingPoint) => string) =>
    table(
      caption,
      [
        { label: 'Server', cell: ({ subject }) => subjectName(subject) },
        ...widths.map(
          (width): Column<ScalingCurve> => ({
            label: plural(width, 'worker'),
            figure: true,
            cell: ({ points }) => {
              const point = points.find(({ workers }) => workers === width);
              return point === undefined
                ? MISSING
                : h('span', { class: point.trusted ? null : 'untrusted' }, cell(point));
            },
          }),
        ),
      ],
      curves,
    );
  return [
    of('Speed-up over one worker, with 95 % intervals', speedUp),
    of('Answers a second', ({ goodput_rps }) => number(goodput_rps?.estimate ?? null)),
    of('CPU time per request in µs, and × one worker’s', cost),
  ];
}

const speedUp = ({ workers, trusted, speed_up, verdict }: ScalingPoint): string => {
  if (speed_up !== null) return written(speed_up);
  return trusted && workers === 1 ? '1×' : trusted ? MISSING : verdictLabel(verdict);
};

const cost = ({ server_cpu_us_per_request: cpu, cpu_ratio: ratio }: ScalingPoint): string => {
  if (cpu === null) return MISSING;
  return `${number(cpu.estimate)}${ratio === null ? '' : `, ${written(ratio)}`}`;
};

const NO_LAW: Record<Published.NoLaw, string> = {
  no_start: 'what one worker reached is not trusted',
  too_few_widths: 'fewer than two widths with a core for each worker are trusted',
  no_round: 'no round has all widths',
};

/** σ and κ of each server. */
export function lawsTable(curves: ScalingCurve[]): HTMLElement {
  const figure = (of: ScalingFigure | null | undefined) => {
    if (of === null || of === undefined) return MISSING;
    const percent = (share: number | null) => (share === null ? null : 100 * share);
    const [estimate, low, high] = [100 * of.estimate, percent(of.low), percent(of.high)];
    return written({ estimate, low, high }, '\u00a0%');
  };
  const caption = 'What each server loses as workers are added, with 95 % intervals';
  return h(
    'section',
    {},
    h('h2', {}, 'What holds them back'),
    table(
      caption,
      [
        { label: 'Server', cell: ({ subject }) => subjectName(subject) },
        { label: 'Work that only one can do at a time (σ)', figure: true, cell: ({ law }) => figure(law?.contention) },
        { label: 'Cost of each pair of workers (κ)', figure: true, cell: ({ law }) => figure(law?.coherency) },
        { label: 'Fitted to', prose: true, cell: fittedTo },
      ],
      curves,
      ({ law }) => (law === null ? 'untrusted' : null),
    ),
  );
}

function fittedTo({ law, no_law, points }: ScalingCurve): string {
  if (law === null) return `nothing: ${no_law === null ? 'not said why' : (NO_LAW[no_law] ?? no_law)}`;
  const widths = points.filter(({ own_cores, trusted }) => own_cores && trusted).map(({ workers }) => workers);
  return `${widths.join(', ')} workers${law.coherency === null ? ', by Amdahl’s law' : ''}`;
}
