// What holds each server back as workers are added.
import type * as Published from '../../data/generated/published';
import { subjectName } from '../../data/names';
import type { ScalingCurve } from '../../data/types';
import { between, inBrackets, MISSING, number } from '../../ui/format';
import { titled } from '../../ui/parts';
import { table } from '../../ui/table';

const NO_LAW: Record<Published.NoLaw, string> = {
  no_start: 'what one worker reached is not trusted',
  too_few_widths: 'fewer than two widths with a core for each worker are trusted',
  no_round: 'no round has all widths',
};

/** σ and κ of each server. */
export function lawsTable(curves: ScalingCurve[]): HTMLElement {
  const figure = (of: Published.Estimate | null | undefined) => {
    if (of == null) return MISSING;
    const [low, high] = [of.interval?.low, of.interval?.high].map(end => (end == null ? null : 100 * end));
    return `${number(100 * of.median)}\u00a0%${inBrackets(between(low ?? null, high ?? null))}`;
  };
  return titled(
    'What holds them back',
    table(
      'What each server loses as workers are added, with 95 % intervals',
      [
        { label: 'Server', cell: ({ app }) => subjectName(app) },
        { label: 'Work that only one can do at a time (σ)', figure: true, cell: ({ law }) => figure(law?.contention) },
        { label: 'Cost of each pair of workers (κ)', figure: true, cell: ({ law }) => figure(law?.coherency) },
        { label: 'Fitted to', prose: true, cell: fittedTo },
      ],
      curves,
      ({ law }) => (law ? null : 'untrusted'),
    ),
  );
}

function fittedTo({ law, no_law, points }: ScalingCurve): string {
  if (!law) return `nothing: ${no_law ? (NO_LAW[no_law] ?? no_law) : 'not said why'}`;
  const widths = points.filter(({ own_cores, cell }) => own_cores && cell.metrics.get('goodput_rps')?.trusted);
  const by = law.coherency == null ? ', by Amdahl’s law' : '';
  return `${widths.map(({ workers }) => workers).join(', ')} workers${by}`;
}
