// Servers at several widths: in which order they stand, which are drawn, what the law says between the widths, and each width against one
// worker.
import { chosenLines } from './chosen-lines';
import type * as Published from './generated/published';
import { type Judgement, unjudged } from './judge';
import { METRICS, type Metric } from './metrics';
import type { Form, RatioLine } from './ratios';
import type { Scaling, ScalingCurve, ScalingPoint } from './types';

/** The widths of these curves, ascending. */
export const widthsOf = (curves: ScalingCurve[]): number[] =>
  [...new Set(curves.flatMap(({ points }) => points.map(({ workers }) => workers)))].sort((a, b) => a - b);

/** The widest width at which some server has a speed-up with a core for each worker; `null` where none has. */
export function widestOf(curves: ScalingCurve[]): number | null {
  const widths = curves.flatMap(({ points }) =>
    points.flatMap(({ workers, own_cores, speed_up }) => (own_cores && speed_up != null ? [workers] : [])),
  );
  return widths.length === 0 ? null : Math.max(...widths);
}

const speedUpAt = ({ points }: ScalingCurve, width: number | null): number =>
  points.find(({ workers }) => workers === width)?.speed_up?.estimate ?? 0;

/** The reference, then the servers by their speed-up at the widest width, then the ceiling. Proven is none of it. */
export function inOrder(curves: ScalingCurve[]): ScalingCurve[] {
  const widest = widestOf(curves);
  const role = ({ app }: ScalingCurve) => ['reference', 'framework', 'ceiling'].indexOf(app.role);
  return [...curves].sort((a, b) => role(a) - role(b) || speedUpAt(b, widest) - speedUpAt(a, widest));
}

/** Whether it has a speed-up to draw. */
export const isDrawn = ({ points }: ScalingCurve): boolean => points.some(({ speed_up }) => speed_up != null);

/** The keys that the address names, or else the reference and the first few that have a speed-up. */
export const chosenOf = (named: string | null, curves: ScalingCurve[]): string[] =>
  chosenLines(
    named,
    curves.map(({ app }) => app),
    curves.filter(isDrawn).map(({ app }) => app.key),
  );

/** The speed-up of so many workers by the Universal Scalability Law. */
export const speedUpBy = ({ contention, coherency }: Published.ScalingLaw, workers: number): number =>
  workers / (1 + contention.median * (workers - 1) + (coherency?.median ?? 0) * workers * (workers - 1));

/** What has a ratio to one worker's. */
const RATIOS: Partial<Record<Metric['id'], 'speed_up' | 'cpu_ratio'>> = {
  goodput_rps: 'speed_up',
  server_cpu_us_per_request: 'cpu_ratio',
};

export const SCALED: Metric[] = Object.keys(RATIOS).flatMap(id => METRICS.get(id) ?? []);

/** Each width of each server against its one worker, in the order of the curves. */
export function scalingLines({ run }: Scaling, curves: ScalingCurve[], metric: Metric, lane: string): RatioLine[] {
  const form = (point: ScalingPoint | undefined): Form | null => {
    const figure = point?.cell.metrics.get(metric.id);
    return figure === undefined ? null : { ...figure, missed: null };
  };
  return widthsOf(curves)
    .filter(width => width > 1)
    .flatMap(width =>
      curves.flatMap(({ app: subject, like: work, title, points }): RatioLine[] => {
        const [one, wide] = [1, width].map(wanted => points.find(({ workers }) => workers === wanted));
        if (wide === undefined) return [];
        const { cell } = wide;
        return [
          {
            question: 'workers',
            name: `${width} workers`,
            against: 'one worker',
            server: subject.name,
            subject,
            work,
            title,
            scenario: cell.scenario,
            lane,
            run,
            a: form(one),
            b: form(wide),
            verdict: cell.verdict,
            judgement: judgementOf(wide[RATIOS[metric.id] ?? 'speed_up']),
          },
        ];
      }),
    );
}

function judgementOf(ratio: Published.Ratio | null | undefined): Judgement {
  if (ratio == null) return unjudged('a figure that is not trusted is not compared');
  const { low, high } = ratio.interval ?? { low: null, high: null };
  return unjudged(low === null ? 'too few rounds for an interval' : null, { middle: ratio.estimate, low, high });
}
