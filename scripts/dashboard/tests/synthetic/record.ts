// A record as it is published.
import type * as Published from '../../src/data/generated/published';
import { four } from './figures';
import { normal, random } from './random';
import { type Measured, type Recorded, subjectOf } from './series';
import { keyOf } from './world';

const ROUNDS = 6;

export function recordFile(lane: Published.Lane, run: Measured): Recorded<Published.Record> {
  const { apps, scenarios } = run.of;
  const next = random(Math.round(run.progress * 1e6));
  const trials: Recorded<Published.Trial>[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const scenario of scenarios) {
      for (const app of apps) {
        const figures = run.cells.get(scenario.id)?.get(keyOf(app));
        const noisy = (metric: Published.Metric, spread = 0.02) => {
          const median = figures?.metrics.get(metric)?.median;
          return median === undefined ? null : four(median * (1 + normal(next) * spread));
        };
        const order = trials.length + 1;
        trials.push({
          app: app.app,
          variant: app.variant,
          scenario: scenario.id,
          round,
          order,
          attempt: 1,
          verdict: figures?.verdict ?? 'crashed',
          reasons: figures?.reason ? [figures.reason] : [],
          goodput_rps: noisy('goodput_rps'),
          latency_ms: latency(noisy('latency_p50_ms'), noisy('latency_p99_ms', 0.12)),
          server_cpu_us_per_request: noisy('server_cpu_us_per_request'),
          instructions_per_request: noisy('instructions_per_request'),
          server_cpu_share: 0.97,
          generator_cpu_share: 0.71,
          other_cpu_share: 0.002,
          idle_cpu_share: app.app === 'astra' ? 0.03 : 0.0004,
          ...(app.app === 'astra' ? { apart: true } : {}),
          rss_bytes: memory(noisy('rss_idle_bytes'), noisy('rss_peak_bytes')),
          startup_ms: noisy('startup_ms'),
        });
      }
    }
  }
  const harness: Recorded<Published.Harness> = {
    version: '0.1.0',
    commit: run.commit,
    dirty: false,
    rounds: ROUNDS,
    cargo_profile: 'release',
    stopped: 'rounds_done',
    whole: run.whole ?? true,
  };
  const environment: Recorded<Published.Environment> = {
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
  };
  return {
    schema_version: 4,
    id: run.id,
    lane,
    seed: 42,
    harness,
    environment,
    apps: apps.map(app => subjectOf(app, run.progress)),
    trials,
  };
}

function latency(p50: number | null, p99: number | null): Recorded<Published.Latency> | null {
  if (p50 === null || p99 === null) return null;
  // A straight line up to p99 where nines have the same room, and steeper beyond.
  const between = (share: number) => four(p50 * (p99 / p50) ** share);
  return {
    min: p50 / 2,
    mean: four(p50 * 1.1),
    p50,
    p90: between(0.41),
    p95: between(0.59),
    p99,
    p99_9: four(p99 * 1.9),
    max: p99 * 2,
  };
}

const memory = (idle: number | null, peak: number | null) =>
  idle === null || peak === null ? null : { idle, peak, after: peak };
