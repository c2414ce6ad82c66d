// The percentiles of latency at a fixed rate. Files of a period have p50 and p99 only; a record has five of each trial, so they come
// from there: the median over the rounds, and the lowest and highest round.
import type { Metric } from './generated/published';
import { keyOf } from './names';
import type { Scenario, TrialField, TrialTable } from './types';
import { VERDICTS } from './verdicts';

/** Which share of the answers came within it, and where a trial has it. */
export const PERCENTILES = [
  { label: 'p50', share: 0.5, field: 'latency_ms.p50' },
  { label: 'p90', share: 0.9, field: 'latency_ms.p90' },
  { label: 'p95', share: 0.95, field: 'latency_ms.p95' },
  { label: 'p99', share: 0.99, field: 'latency_ms.p99' },
  { label: 'p99.9', share: 0.999, field: 'latency_ms.p99_9' },
] as const satisfies { label: string; share: number; field: TrialField }[];

/** Requests of a round beyond a percentile, with fewer of which a handful decide it. */
const ENOUGH = 100 - 1e-6;

/** Those that a round of a scenario has enough requests for: none but at a fixed rate. */
export function percentilesOf({ load, requests, seconds }: Workload): (typeof PERCENTILES)[number][] {
  const total = load.model === 'open' ? (requests ?? load.rate_rps * seconds) : 0;
  return PERCENTILES.filter(({ share }) => total * (1 - share) >= ENOUGH);
}

type Workload = Pick<Scenario, 'id' | 'load' | 'requests' | 'seconds'>;

/** It says whether the latencies of a cell are trusted: all of them hold or fall together. */
export const JUDGED_BY: Metric = 'latency_p50_ms';

export interface Percentile {
  label: string;
  share: number;
  /** In milliseconds; over the rounds. */
  median: number;
  low: number;
  high: number;
}

export interface Curve {
  /** Those that were measured, the smallest share first. */
  points: Percentile[];
  rounds: number;
}

/** Trials whose figures are in the summary of a record, too: verdicts stand from the best to the worst, and the first failure is the machine's. */
const VERDICT_IDS = [...VERDICTS.values()].map(({ id }) => id);
const COUNTED: ReadonlySet<unknown> = new Set(VERDICT_IDS.slice(0, VERDICT_IDS.indexOf('environment_failed')));

/** The curve of each subject in a scenario, by its key: of each round the last attempt, if it counts. */
export function curvesOf(trials: TrialTable, scenario: Workload): Map<string, Curve> {
  const known = percentilesOf(scenario);
  const at = (field: TrialField, row: number) => trials.columns.get(field)?.[row] ?? null;
  const last = new Map<string, Map<unknown, number>>();
  for (let row = 0; row < trials.rows; row += 1) {
    if (at('scenario', row) !== scenario.id) continue;
    const [app, variant, round] = [at('app', row), at('variant', row), at('round', row)];
    const key = keyOf({ app: String(app), variant: String(variant ?? 'default') });
    const rounds = last.get(key) ?? new Map<unknown, number>();
    const before = rounds.get(round);
    if (before === undefined || Number(at('attempt', row)) > Number(at('attempt', before))) rounds.set(round, row);
    last.set(key, rounds);
  }
  const curves = new Map<string, Curve>();
  for (const [key, rounds] of last) {
    const counted = [...rounds.values()].filter(row => COUNTED.has(at('verdict', row)));
    const points = known.flatMap(({ label, share, field }): Percentile[] => {
      const found = counted.flatMap(row => {
        const figure = at(field, row);
        return typeof figure === 'number' && figure > 0 ? [figure] : [];
      });
      return found.length === 0 ? [] : [{ label, share, ...spread(found) }];
    });
    if (points.length > 0) curves.set(key, { points, rounds: counted.length });
  }
  return curves;
}

function spread(figures: number[]): { median: number; low: number; high: number } {
  const sorted = [...figures].sort((a, b) => a - b);
  const at = (place: number) => sorted[place] ?? Number.NaN;
  const half = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? at(half) : (at(half - 1) + at(half)) / 2;
  return { median, low: at(0), high: at(sorted.length - 1) };
}

/** How certain it is that the true median lies between the lowest and the highest round: all rounds lie on one side of it as seldom
 * as a coin falls on one side. */
export const coverage = (rounds: number): number => (rounds < 2 ? 0 : 1 - 2 ** (1 - rounds));

/** The place of a share on an axis that gives each further nine the same room. */
export const tailScale = (share: number): number => Math.log10(1 / (1 - share));
