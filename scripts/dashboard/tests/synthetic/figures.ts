// Figures of one app in one scenario and run, as a harness would have found them: medians, intervals, ratios, verdicts.
import type * as Published from '../../src/data/generated/published';
import { normal, type Random } from './random';
import type { App, Event, Shape } from './world';
import { EVENTS } from './world';

export interface Summary {
  median: number;
  low: number;
  high: number;
  ratio: number;
  ratio_low: number;
  ratio_high: number;
  own_work: number | null;
  own_work_margin: number | null;
  rank_best: number | null;
  rank_worst: number | null;
  trusted: number;
  trials: number;
}

export interface CellFigures {
  verdict: Published.Verdict;
  reason: string | null;
  metrics: Map<Published.Metric, Summary>;
}

/** Four significant digits, as the contract has it. */
export function four(value: number): number {
  if (value === 0) return 0;
  const digits = 3 - Math.floor(Math.log10(Math.abs(value)));
  const step = 10 ** Math.abs(digits);
  return digits >= 0 ? Math.round(value * step) / step : Math.round(value / step) * step;
}

function summary(median: number, ratio: number, spread: number, next: Random, trusted: boolean): Summary {
  const noisy = 1 + normal(next) * spread * 0.4;
  return {
    median: four(median * noisy),
    low: four(median * noisy * (1 - spread)),
    high: four(median * noisy * (1 + spread)),
    ratio: four(ratio * noisy),
    ratio_low: four(ratio * noisy * (1 - spread * 0.7)),
    ratio_high: four(ratio * noisy * (1 + spread * 0.7)),
    own_work: null,
    own_work_margin: null,
    rank_best: null,
    rank_worst: null,
    trusted: trusted ? 1 : 0,
    trials: next() < 0.03 ? 4 : 6,
  };
}

const happened = (event: Event, app: App, scenario: Shape, progress: number): boolean =>
  progress >= event.at && event.app === app.app && (event.scenario === null || event.scenario === scenario.id);

/** A server that falls behind at every fixed rate. */
const LATE = 'tide';

export function cellFigures(app: App, scenario: Shape, progress: number, speed: number, next: Random): CellFigures {
  if (app.app === 'astra')
    return { verdict: 'contract_failed', reason: 'POST /test/simple was answered with 500', metrics: new Map() };
  const moved = EVENTS.filter(event => happened(event, app, scenario, progress)).reduce(
    (factor, event) => factor * event.factor,
    1,
  );
  const ratio = 1 + (app.cost * moved - 1) * scenario.own;
  const cpu = scenario.cpu * speed * ratio;
  const capacity = 1e6 / cpu;
  const limit = 62_000 / speed;
  const bound = scenario.load === undefined && capacity > limit * 0.8;
  const asleep = scenario.id === 'timed';
  const failed = next() < 0.004;
  const drawn = failed
    ? 'environment_failed'
    : bound
      ? 'client_bound'
      : asleep
        ? 'unsaturated'
        : scenario.database !== undefined && scenario.load === undefined
          ? 'database_bound'
          : next() < 0.01
            ? 'unstable'
            : 'valid';
  const open = scenario.load?.model === 'open';
  // So slow that the generator could not keep the rate: there are latencies, and they are not trusted.
  const late = open && app.app === LATE && drawn === 'valid';
  const verdict = late ? 'client_bound' : drawn;
  const trusted = verdict === 'valid';
  const standing = !failed;
  const metrics = new Map<Published.Metric, Summary>();
  metrics.set('goodput_rps', summary(asleep ? 9000 : Math.min(capacity, limit), 1 / ratio, 0.03, next, trusted));
  metrics.set('server_cpu_us_per_request', summary(cpu, ratio, 0.025, next, standing));
  metrics.set('instructions_per_request', summary(cpu * 1650, 0.9 * ratio + 0.1, 0.003, next, standing));
  metrics.set(
    'latency_p50_ms',
    summary(
      open ? 0.08 * ratio : (scenario.connections / Math.min(capacity, limit)) * 1000,
      ratio,
      0.05,
      next,
      standing && open && !late,
    ),
  );
  metrics.set(
    'latency_p99_ms',
    summary(
      open ? 0.4 * ratio : (scenario.connections / Math.min(capacity, limit)) * 2100,
      ratio,
      0.12,
      next,
      standing && open && !late,
    ),
  );
  if (scenario.load?.model === 'capacity')
    metrics.set('capacity_rps', summary(capacity * 0.8, 1 / ratio, 0.04, next, standing));
  const memory = 3.2e6 + app.cost * 1.1e6 + app.name.length * 6e4;
  metrics.set('rss_idle_bytes', summary(memory, memory / 4.3e6, 0.01, next, standing));
  metrics.set('rss_peak_bytes', summary(memory * 1.35, memory / 4.3e6, 0.02, next, standing));
  metrics.set('startup_ms', summary(3.1 + app.cost, 0.8 + app.cost * 0.2, 0.08, next, standing));
  return { verdict, reason: REASONS[verdict] ?? null, metrics };
}

const REASONS: Partial<Record<Published.Verdict, string>> = {
  client_bound: 'the load generator used more than 85 % of its cpus',
  unsaturated: 'neither the server nor the load generator was at its limit',
  database_bound: 'the server waited for its database',
  unstable: 'goodput spread over more than half of its median',
  environment_failed: 'the hypervisor took more than a tenth of the cpu time (14 %)',
};

/** Where every server lies between the ceiling and Rocket, where both were measured and lie far enough apart. */
export function findOwnWork(cells: { app: App; figures: CellFigures }[]): void {
  const found = cells.flatMap(({ app, figures }) => {
    const entry = figures.metrics.get('server_cpu_us_per_request');
    return entry?.trusted === 1 ? [{ app: app.app, entry }] : [];
  });
  const [low, high] = ['ceiling', 'rocket'].map(end => found.find(({ app }) => app === end)?.entry.ratio);
  if (low === undefined || high === undefined || high < 1.5 * low) return;
  for (const { app, entry } of found) {
    entry.own_work = Number((((entry.ratio - low) / (high - low)) * 100).toFixed(1));
    entry.own_work_margin = app === 'ceiling' || app === 'rocket' ? 0 : 9;
  }
}

const NEVER_RANKED = new Set<Published.Metric>(['latency_p99_ms']);

/** Pairs and ranges of places, each kind for itself: one is better than another where their intervals lie apart. */
export function rank(cells: { app: App; figures: CellFigures }[]): void {
  for (const kind of ['maintained', 'engine', 'legacy', 'own_stack', 'driver']) {
    for (const metric of new Set(cells.flatMap(({ figures }) => [...figures.metrics.keys()]))) {
      if (NEVER_RANKED.has(metric)) continue;
      const more = metric === 'goodput_rps' || metric === 'capacity_rps';
      const entries = cells
        .filter(({ app }) => app.role === 'framework' && app.tier === kind)
        .flatMap(({ figures }) => figures.metrics.get(metric) ?? [])
        .filter(({ trusted }) => trusted === 1);
      const beats = (one: Summary, other: Summary) =>
        more ? one.ratio_low > other.ratio_high : one.ratio_high < other.ratio_low;
      for (const entry of entries) {
        entry.rank_best = 1 + entries.filter(other => beats(other, entry)).length;
        entry.rank_worst = entries.length - entries.filter(other => beats(entry, other)).length;
      }
    }
  }
}
