// Curves of servers at several widths: by the Universal Scalability Law, with noise, and with what else real runs have.
import type * as Published from '../../src/data/generated/published';
import { four } from './figures';
import { normal, random } from './random';
import { subjectOf } from './series';
import { type App, SCALING, SERVER_CORES, WIDTHS } from './world';

/** σ and κ of the servers; the others have the first. */
const LAWS: Record<string, [sigma: number, kappa: number]> = {
  others: [0.03, 0.0004],
  reference: [0.004, 0],
  ohkami: [0, 0],
  rocket: [0.12, 0.01],
};
/** From this width on the load generator is the limit of the fastest servers. */
const BOUND_FROM = 8;

const interval = (estimate: number, spread: number): Published.Interval => ({
  low: four(estimate * (1 - spread)),
  high: four(estimate * (1 + spread)),
});
const ratio = (estimate: number, spread: number): Published.Ratio => ({
  estimate: four(estimate),
  interval: interval(estimate, spread),
});
const summary = (median: number, spread: number, trusted: boolean): Published.Summary => ({
  median: four(median),
  interval: interval(median, spread),
  trials: 6,
  ratio: null,
  rank: null,
  trusted,
});

/** An interval that may begin at 0. */
const parameter = (median: number, half: number): Published.Estimate => ({
  median,
  interval: { low: four(Math.max(0, median - half)), high: four(median + half) },
  count: 6,
});

function curve(app: App, scenario: string, title: string): Published.ScalingCurve {
  const next = random(app.app.length * 1000 + scenario.length);
  const [sigma, kappa] = LAWS[app.app] ?? (LAWS.others as [number, number]);
  const alone = 80_000 / app.cost;
  const isBound = (workers: number) =>
    app.role === 'ceiling' || (app.cost < 1 && app.app !== 'ohkami' && workers >= BOUND_FROM);
  const points = WIDTHS.map((workers): Published.ScalingPoint => {
    const crashed = app.app === 'astra' && workers === 4;
    const own = Math.min(workers, SERVER_CORES);
    const loss = 1 + sigma * (own - 1) + kappa * own * (own - 1);
    const times = (own / loss) * (workers > SERVER_CORES ? 1.25 : 1) * (1 + normal(next) * 0.01);
    const trusted = !crashed && !isBound(workers);
    const cpu = 12.5 * app.cost * (1 + 0.02 * Math.log2(workers));
    return {
      workers,
      own_cores: workers <= SERVER_CORES,
      cell: {
        scenario: `${scenario}-w${workers}`,
        verdict: crashed ? 'crashed' : trusted ? 'valid' : 'client_bound',
        metrics: crashed
          ? {}
          : {
              goodput_rps: summary(alone * times, 0.02, trusted),
              server_cpu_us_per_request: summary(cpu, 0.01, true),
            },
      },
      speed_up: trusted && workers > 1 && !isBound(1) ? ratio(times, 0.015) : null,
      cpu_ratio: crashed || workers === 1 ? null : ratio(cpu / (12.5 * app.cost), 0.008),
    };
  });
  const isFitted = !isBound(1);
  return {
    app: subjectOf(app, 1),
    like: scenario,
    title,
    points,
    law: isFitted ? { contention: parameter(sigma, 0.012), coherency: parameter(kappa, 0.0006) } : null,
    no_law: isFitted ? null : 'no_start',
  };
}

export function scalingFile(lane: Published.Lane, run: Published.Run): Published.Scaling {
  const families = new Map(SCALING.scenarios.map(({ title, varies }) => [varies?.like ?? '', title]));
  return {
    schema_version: 2,
    lane,
    run,
    server_cores: SERVER_CORES,
    curves: [...families].flatMap(([id, title]) => SCALING.apps.map(app => curve(app, id, title))),
  };
}
