// Servers at several widths: speed-ups as curves with the law that they follow, and what each loses.
import '../../style/percentiles.css';
import type { Context } from '../../app/context';
import { isDark } from '../../app/theme';
import { strokeOf } from '../../charts/palette';
import { speedUpChart, written } from '../../charts/speed-up';
import type * as Published from '../../data/generated/published';
import { subjectName } from '../../data/names';
import { chosenOf, isDrawn, widthsOf } from '../../data/scaling';
import type { Scaling, ScalingCurve } from '../../data/types';
import { type Children, h } from '../../ui/dom';
import { MISSING, plural } from '../../ui/format';
import { keys, lineChooser } from '../../ui/line-chooser';
import { faint, titled } from '../../ui/parts';
import { table } from '../../ui/table';

/** `curves` are of one kind of work, in their order. */
export function curvesOf(context: Context, scaling: Scaling, curves: ScalingCurve[]): Children {
  const chosen = chosenOf(context.parameter('curves'), curves);
  const dark = isDark();
  const lines = curves
    .filter(({ app }) => chosen.includes(app.key))
    .map((curve, at) => ({
      name: subjectName(curve.app),
      curve,
      stroke: strokeOf(at, dark),
      trusted: isDrawn(curve),
    }));
  const drawn = lines.filter(({ trusted }) => trusted);
  return [
    h('p', { class: 'reading' }, reading(scaling, curves)),
    drawn.length === 0
      ? faint('Nothing is chosen that has a speed-up.')
      : speedUpChart(drawn, widthsOf(curves), 'Speed-up over workers; the table below has the same figures'),
    keys(lines),
    lineChooser(
      context,
      curves.map(({ app }) => app),
      chosen,
    ),
    lawsTable(curves),
  ];
}

function reading({ server_cores }: Scaling, curves: ScalingCurve[]): string {
  const shared = curves.some(({ points }) => points.some(({ own_cores }) => !own_cores));
  const rings =
    shared && server_cores !== null
      ? ` Rings: workers that share the ${plural(server_cores, 'core')}, whose second threads are not worth a core; no law is fitted to them.`
      : '';
  return `A point is a speed-up over one worker, a whisker its 95 % interval; a line is the law that they follow, the grey one is without any loss.${rings}`;
}

const NO_LAW: Record<Published.NoLaw, string> = {
  no_start: 'what one worker reached is not trusted',
  too_few_widths: 'fewer than two widths with a core for each worker are trusted',
  no_round: 'no round has all widths',
};

/** σ and κ of each server. */
function lawsTable(curves: ScalingCurve[]): HTMLElement {
  const figure = (of: Published.Estimate | null | undefined) => {
    if (of == null) return MISSING;
    const interval = of.interval && { low: 100 * of.interval.low, high: 100 * of.interval.high };
    return written(100 * of.median, interval, '\u00a0%');
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
