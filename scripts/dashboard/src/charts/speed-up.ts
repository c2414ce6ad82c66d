// Speed-ups over workers: measured points with their intervals, the law through them, and the ideal line. Both axes are logarithmic, so
// that the ideal is straight and each doubling has the same room. All places are per cent: nothing is drawn again when the width changes.
import { speedUpBy } from '../data/scaling';
import type { ScalingCurve, ScalingFigure, ScalingPoint } from '../data/types';
import { h, place, s } from '../ui/dom';
import { between, number, plural } from '../ui/format';
import type { Stroke } from './palette';
import { percent, percentLine, SPACING } from './percent-line';

export interface SpeedUpLine {
  name: string;
  curve: ScalingCurve;
  stroke: Stroke;
}

/** Of a law's curve, from one worker to the last width that it covers. */
const STEPS = 32;
/** Room outside the outermost points, as a share of the axis. */
const ROOM = 0.03;

type Measured = ScalingPoint & { speed_up: ScalingFigure };

const measuredOf = ({ points }: ScalingCurve): Measured[] =>
  points.flatMap(point => (point.speed_up === null ? [] : [{ ...point, speed_up: point.speed_up }]));

export function speedUpChart(lines: SpeedUpLine[], widths: number[], label: string): HTMLElement {
  const figures = lines.flatMap(({ curve }) =>
    measuredOf(curve).flatMap(({ speed_up: { estimate, low } }) => [estimate, low ?? estimate]),
  );
  const widest = Math.max(2, ...widths);
  const lowest = Math.min(1, ...figures.filter(figure => figure > 0));
  const along = (from: number, to: number) => (value: number) => {
    const share = Math.log(Math.max(value, from) / from) / Math.log(to / from);
    return (ROOM + share * (1 - 2 * ROOM)) * 100;
  };
  const x = along(1, widest);
  // A server that is more than perfect stands above the ideal line.
  const above = Math.max(
    widest,
    ...lines.flatMap(({ curve }) => measuredOf(curve).map(({ speed_up }) => speed_up.high ?? speed_up.estimate)),
  );
  const upward = along(lowest, above);
  const y = (speedUp: number) => 100 - upward(speedUp);
  const drawn = ({ name, curve, stroke }: SpeedUpLine, at: number) => {
    const shift = (at - (lines.length - 1) / 2) * SPACING;
    const points = measuredOf(curve);
    const end = ({ workers, speed_up }: Measured): [number, number] => [x(workers) + shift, y(speed_up.estimate)];
    const one: [number, number] = [x(1) + shift, y(1)];
    const own = points.filter(({ own_cores }) => own_cores).at(-1);
    const { law } = curve;
    const path: [number, number][] =
      law === null || own === undefined
        ? []
        : Array.from({ length: STEPS + 1 }, (_, step) => {
            const workers = own.workers ** (step / STEPS);
            return [x(workers) + shift, y(speedUpBy(law, workers))];
          });
    // No law covers these: their workers share cores, or nothing was fitted.
    const without = points.filter(({ workers }) => path.length === 0 || workers > (own?.workers ?? 1));
    const before = own === undefined || path.length === 0 ? one : end(own);
    return s(
      'g',
      { class: 'curve' },
      path.slice(1).map((to, before) => percentLine('law', path[before] as [number, number], to, stroke)),
      without.map((point, at) => {
        const from = without[at - 1];
        return percentLine('beyond', from === undefined ? before : end(from), end(point), stroke);
      }),
      points.map(({ workers, speed_up: { low, high } }) =>
        low == null || high == null
          ? null
          : percentLine('spread', [x(workers) + shift, y(low)], [x(workers) + shift, y(high)], { ...stroke, dash: [] }),
      ),
      points.map(point =>
        s(
          'circle',
          {
            class: point.own_cores ? null : 'shared',
            cx: percent(end(point)[0]),
            cy: percent(end(point)[1]),
            r: 4,
            fill: stroke.colour,
            color: stroke.colour,
          },
          s('title', {}, `${name}, ${plural(point.workers, 'worker')}: ${written(point.speed_up)}`),
        ),
      ),
    );
  };
  return h(
    'div',
    { class: 'percentiles speed-ups', role: 'img', 'aria-label': label },
    h('p', { class: 'unit', 'aria-hidden': 'true' }, 'times'),
    h(
      'div',
      { class: 'area', 'aria-hidden': 'true' },
      widths.map(width => place(h('span', { class: 'upward' }, `${width}×`), { top: percent(y(width)), left: '0' })),
      widths.map(width => place(h('span', { class: 'along' }, width), { left: percent(x(width)) })),
      s(
        'svg',
        {},
        widths.map(width => percentLine('grid', [0, y(width)], [100, y(width)])),
        widths.map(width => percentLine('grid', [x(width), 0], [x(width), 100])),
        percentLine('ideal', [x(1), y(1)], [x(widest), y(widest)]),
        lines.map(drawn),
      ),
    ),
    h('p', { class: 'unit workers', 'aria-hidden': 'true' }, 'workers'),
  );
}

/** `1.93× (1.91 to 1.95)`. */
export const written = ({ estimate, low, high }: ScalingFigure, unit = '×'): string => {
  const bounds = between(low ?? null, high ?? null);
  return `${number(estimate)}${unit}${bounds === '' ? '' : ` (${bounds})`}`;
};
