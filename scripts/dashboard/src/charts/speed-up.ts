// Speed-ups over workers: measured points with their intervals, the law through them, and the ideal line. Both axes are logarithmic, so
// that the ideal is straight and each doubling has the same room.
import type * as Published from '../data/generated/published';
import { speedUpBy } from '../data/scaling';
import type { ScalingCurve, ScalingPoint } from '../data/types';
import { s } from '../ui/dom';
import { between, number, plural } from '../ui/format';
import { area, type Place, percentLine, point, shiftOf, spread } from './area';
import type { Stroke } from './palette';

export interface SpeedUpLine {
  name: string;
  curve: ScalingCurve;
  stroke: Stroke;
}

/** Of a law's curve, from one worker to the last width that it covers. */
const STEPS = 32;
/** Room outside the outermost points, as a share of the axis. */
const ROOM = 0.03;

type Measured = ScalingPoint & { speed_up: Published.Ratio };

const measuredOf = ({ points }: ScalingCurve): Measured[] =>
  points.filter((point): point is Measured => point.speed_up != null);

export function speedUpChart(lines: SpeedUpLine[], widths: number[], label: string): HTMLElement {
  const ratios = lines.flatMap(({ curve }) => measuredOf(curve).map(({ speed_up }) => speed_up));
  const lows = ratios.map(({ estimate, interval }) => interval?.low ?? estimate);
  const highs = ratios.map(({ estimate, interval }) => interval?.high ?? estimate);
  const widest = Math.max(2, ...widths);
  const along = (from: number, to: number) => (value: number) => {
    const share = Math.log(Math.max(value, from) / from) / Math.log(to / from);
    return (ROOM + share * (1 - 2 * ROOM)) * 100;
  };
  const x = along(1, widest);
  // A server that is more than perfect stands above the ideal line.
  const upward = along(Math.min(1, ...lows.filter(low => low > 0)), Math.max(widest, ...highs));
  const y = (speedUp: number) => 100 - upward(speedUp);
  const drawn = ({ name, curve, stroke }: SpeedUpLine, at: number) => {
    const shift = shiftOf(at, lines.length);
    const points = measuredOf(curve);
    const end = ({ workers, speed_up }: Measured): Place => [x(workers) + shift, y(speed_up.estimate)];
    const own = points.filter(({ own_cores }) => own_cores).at(-1);
    const { law } = curve;
    const path =
      !law || own === undefined
        ? []
        : Array.from({ length: STEPS + 1 }, (_, step): Place => {
            const workers = own.workers ** (step / STEPS);
            return [x(workers) + shift, y(speedUpBy(law, workers))];
          });
    // No law covers these: their workers share cores, or nothing was fitted.
    const without = points.filter(({ workers }) => path.length === 0 || workers > (own?.workers ?? 1));
    const before: Place = own === undefined || path.length === 0 ? [x(1) + shift, y(1)] : end(own);
    const joined = (kind: string, places: Place[]) =>
      places.slice(1).map((to, before) => percentLine(kind, places[before] as Place, to, stroke));
    return s(
      'g',
      { class: 'curve' },
      joined('law', path),
      joined('unfitted', [before, ...without.map(end)]),
      points.map(({ workers, speed_up: { interval } }) =>
        interval == null ? null : spread(x(workers) + shift, [y(interval.low), y(interval.high)], stroke),
      ),
      points.map(each =>
        point(
          end(each),
          stroke,
          `${name}, ${plural(each.workers, 'worker')}: ${written(each.speed_up.estimate, each.speed_up.interval)}`,
          each.own_cores ? null : 'shared',
        ),
      ),
    );
  };
  return area(
    {
      label,
      units: ['times', 'workers'],
      upward: widths.map(width => [`${width}×`, y(width)]),
      along: widths.map(width => [`${width}`, x(width)]),
    },
    [percentLine('ideal', [x(1), y(1)], [x(widest), y(widest)]), lines.map(drawn)],
  );
}

/** `1.93× (1.91 to 1.95)`. */
export const written = (estimate: number, interval?: Published.Interval | null, unit = '×'): string => {
  const bounds = between(interval?.low ?? null, interval?.high ?? null);
  return `${number(estimate)}${unit}${bounds === '' ? '' : ` (${bounds})`}`;
};
