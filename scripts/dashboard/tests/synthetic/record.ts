// A record as it is published: trials as columns.
import { four, type Summary } from './figures';
import { headOf } from './generate';
import { normal, random } from './random';
import { type Measured, scenarioOf, versionOf } from './series';
import { APPS, keyOf, SCENARIOS } from './world';

const ROUNDS = 6;

export function recordFile(lane: string, run: Measured) {
  const next = random(Math.round(run.progress * 1e6));
  const columns: Record<string, unknown[]> = {};
  const nested: Record<string, Record<string, unknown[]>> = {};
  const put = (field: string, value: unknown) => {
    columns[field] ??= [];
    columns[field].push(value);
  };
  const putIn = (object: string, field: string, value: unknown) => {
    nested[object] ??= {};
    nested[object][field] ??= [];
    nested[object][field].push(value);
  };
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const scenario of SCENARIOS) {
      for (const app of APPS) {
        const figures = run.cells.get(scenario.id)?.get(keyOf(app));
        const noisy = (metric: string) => {
          const median = figures?.metrics.get(metric)?.median;
          return median === undefined ? null : four(median * (1 + normal(next) * 0.02));
        };
        put('app', app.app);
        put('variant', app.variant);
        put('scenario', scenario.id);
        put('round', round);
        put('attempt', 1);
        put('started_at', 3);
        put('verdict', figures?.verdict ?? 'crashed');
        put('reasons', figures?.reason ? [figures.reason] : []);
        putIn('requests', '200', noisy('goodput_rps'));
        put('seconds', 1.5);
        put('goodput_rps', noisy('goodput_rps'));
        putIn('latency_ms', 'p50', noisy('latency_p50_ms'));
        putIn('latency_ms', 'p99', noisy('latency_p99_ms'));
        put('server_cpu_us_per_request', noisy('server_cpu_us_per_request'));
        put('instructions_per_request', noisy('instructions_per_request'));
        put('server_cpu_share', 0.97);
        put('generator_cpu_share', 0.71);
        put('other_cpu_share', 0.002);
        put('idle_cpu_share', app.app === 'astra' ? 0.03 : 0.0004);
        put('apart', app.app === 'astra' ? 1 : 0);
        putIn('rss_bytes', 'idle', noisy('rss_idle_bytes'));
        putIn('rss_bytes', 'peak', noisy('rss_peak_bytes'));
        put('startup_ms', noisy('startup_ms'));
      }
    }
  }
  return {
    schema_version: 3,
    ...headOf(run),
    lane,
    seed: 42,
    finished_at: run.finishedAt,
    harness: {
      version: '0.1.0',
      commit: run.commit,
      dirty: false,
      rounds: ROUNDS,
      cargo_profile: 'release',
      stopped: 'rounds_done',
      whole: run.whole ?? true,
    },
    environment: {
      ...run.machine,
      memory_bytes: 16_777_216_000,
      kernel: '6.11.0-1018-azure',
      os: 'Ubuntu 24.04.3 LTS',
      governor: null,
      rustc: run.rustc,
      oha: '1.16.0',
      irq_time_apart: false,
      splits: [
        {
          server_cpus: [0],
          generator_cpus: [1, 2, 3],
          goodput_rps: 61_200,
          server_cpu_share: 0.98,
          generator_cpu_share: 0.74,
        },
        {
          server_cpus: [0, 1],
          generator_cpus: [2, 3],
          goodput_rps: 64_900,
          server_cpu_share: 0.61,
          generator_cpu_share: 0.99,
        },
      ],
      server_cpus: [0],
      generator_cpus: [1, 2, 3],
      steal_share: 0.012,
      load_average: 0.3,
      warnings: run.warnings,
      tuning: { 'vm.swappiness': '1', 'net.core.somaxconn': '4096' },
    },
    apps: APPS.map(app => ({
      id: app.app,
      variant: app.variant,
      name: app.name,
      role: app.role,
      tier: app.tier,
      framework: app.app,
      framework_version: versionOf(app.app, run.progress),
      binary_bytes: 3_100_000,
      build_seconds: 14.2,
      source_hash: 'a'.repeat(64),
      lockfile_hash: 'b'.repeat(64),
    })),
    scenarios: SCENARIOS.map(scenarioOf),
    trials: { ...columns, ...nested },
    summary: summaryOf(run),
  };
}

/** In columns, as it is published. */
function summaryOf(run: Measured) {
  const cells = SCENARIOS.flatMap(scenario =>
    APPS.flatMap(app => {
      const figures = run.cells.get(scenario.id)?.get(keyOf(app));
      return figures === undefined ? [] : [{ app, scenario, figures }];
    }),
  );
  const names = [...new Set(cells.flatMap(({ figures }) => [...figures.metrics.keys()]))];
  const metric = (name: string) => {
    const column = <T>(of: (summary: Summary) => T) =>
      cells.map(({ figures }) => {
        const summary = figures.metrics.get(name);
        return summary === undefined ? null : of(summary);
      });
    return {
      median: column(({ median }) => median),
      trials: column(({ trials }) => trials),
      rank: column(({ rank_best, rank_worst }) => (rank_best === null ? null : { best: rank_best, worst: rank_worst })),
      trusted: column(({ trusted }) => trusted),
      interval: { low: column(({ low }) => low), high: column(({ high }) => high) },
      ratio: {
        estimate: column(({ ratio }) => ratio),
        interval: { low: column(({ ratio_low }) => ratio_low), high: column(({ ratio_high }) => ratio_high) },
      },
    };
  };
  return {
    app: cells.map(({ app }) => app.app),
    variant: cells.map(({ app }) => app.variant),
    scenario: cells.map(({ scenario }) => scenario.id),
    verdict: cells.map(({ figures }) => figures.verdict),
    reasons: cells.map(({ figures }) => (figures.reason === null ? [] : [figures.reason])),
    metrics: Object.fromEntries(names.map(name => [name, metric(name)])),
    from_trials: false,
  };
}
