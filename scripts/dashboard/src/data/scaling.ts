// Servers at several widths: in which order they stand, and each width against one worker.
import type * as Published from './generated/published';
import { type Judgement, unjudged } from './judge';
import { METRICS, type Metric } from './metrics';
import type { Form, RatioLine } from './ratios';
import type { Scaling, ScalingCurve, ScalingPoint } from './types';

/** The widths of these curves, ascending. */
const widthsOf = (curves: ScalingCurve[]): number[] =>
  [...new Set(curves.flatMap(({ points }) => points.map(({ workers }) => workers)))].sort((a, b) => a - b);

const speedUpOf = ({ points }: ScalingCurve): number =>
  Math.max(...points.map(({ own_cores, speed_up }) => (own_cores && speed_up?.estimate) || 0));

/** The reference, then the servers by their largest speed-up with a core for each worker, then the ceiling. Proven is none of it. */
export function inOrder(curves: ScalingCurve[]): ScalingCurve[] {
  const role = ({ app }: ScalingCurve) => ['reference', 'framework', 'ceiling'].indexOf(app.role);
  return [...curves].sort((a, b) => role(a) - role(b) || speedUpOf(b) - speedUpOf(a));
}

/** What has a ratio to one worker's. */
const RATIOS: Partial<Record<Metric['id'], 'speed_up' | 'cpu_ratio'>> = {
  goodput_rps: 'speed_up',
  server_cpu_us_per_request: 'cpu_ratio',
};

export const SCALED: Metric[] = Object.keys(RATIOS).flatMap(id => METRICS.get(id) ?? []);

/** Each width of each server against its one worker, in the order of the curves. */
export function scalingLines(
  { run, server_cores: cores }: Scaling,
  curves: ScalingCurve[],
  metric: Metric,
  lane: string,
): RatioLine[] {
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
        const { cell, own_cores } = wide;
        // The second threads of cores are not worth a core.
        const sharing = own_cores ? '' : `, which share ${cores === null ? 'cores' : `${cores} cores`}`;
        return [
          {
            question: 'workers',
            name: `${width} workers${sharing}`,
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
