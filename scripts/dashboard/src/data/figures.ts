// One figure of one subject in one run, with all that decides how it may be shown.

import type { Metric } from './metrics';
import type { Figure, MetricColumns, Series, Summary } from './types';
import { knownVerdict } from './verdicts';

export interface Value extends Summary {
  /** Where it lies between the smallest possible server, 0, and Rocket 0.5.2, 100, and how far either way another cpu finds it. */
  own_work: Figure;
  own_work_margin: Figure;
  /** Number of sessions behind ratio and rank, and of their days; `null` where they hold in this session only. */
  sessions: Figure;
  days: Figure;
  verdict: string | null;
  reason: string | null;
}

/** The figure at a place of the matrices; `null` where nothing was measured. */
export function valueAt(series: Series, columns: MetricColumns, subject: number, run: number): Value | null {
  const at = (matrix: Figure[][]) => matrix[subject]?.[run] ?? null;
  const median = at(columns.median);
  if (median === null) return null;
  const verdict = series.verdicts[subject]?.[run] ?? null;
  const trusted = at(columns.trusted) === 1 && knownVerdict(verdict);
  return {
    median,
    low: at(columns.low),
    high: at(columns.high),
    ratio: at(columns.ratio),
    ratio_low: at(columns.ratio_low),
    ratio_high: at(columns.ratio_high),
    own_work: at(columns.own_work),
    own_work_margin: at(columns.own_work_margin),
    sessions: columns.sessions[run] ?? null,
    days: columns.days[run] ?? null,
    // What is not trusted is never ranked, whatever the file says.
    rank: trusted ? (columns.rank[subject]?.[run] ?? null) : null,
    trusted,
    trials: at(columns.trials),
    verdict,
    reason: series.reasons[subject]?.[run] ?? null,
  };
}

export type OwnWork = Pick<Value, 'own_work' | 'own_work_margin'>;

/** What rows are ordered and drawn by: what carries over to other cpus, or else to other hours of this one, or else the figure. */
export type Basis = 'own work' | 'ratio' | 'figure';

export function basisOf(values: (Value | null)[]): Basis {
  const have = (field: 'own_work' | 'ratio') => values.some(value => value?.trusted && value[field] !== null);
  return have('own_work') ? 'own work' : have('ratio') ? 'ratio' : 'figure';
}

/** A figure; without ends it has no interval. */
export interface Drawn {
  middle: number;
  low: Figure;
  high: Figure;
}

export function drawnBy(value: Value | null, basis: Basis, { divisor }: Metric): Drawn | null {
  if (value === null) return null;
  const { median, low, high, ratio, own_work: own } = value;
  const margin = value.own_work_margin ?? 0;
  if (basis === 'own work') return own === null ? null : { middle: own, low: own - margin, high: own + margin };
  if (basis === 'ratio') return ratio === null ? null : { middle: ratio, low: value.ratio_low, high: value.ratio_high };
  return { middle: median / divisor, low: low && low / divisor, high: high && high / divisor };
}

export interface Cell {
  value: Value | null;
  verdict: string | null;
  reason: string | null;
}

/** What there is to say of a subject in a run: the figure, or the verdict that stands in its place; `null` where it took no part. */
export function cellAt(series: Series, metric: string, subject: string, run: string): Cell | null {
  const row = series.subjects.indexOf(subject);
  const place = series.runs.indexOf(run);
  if (row < 0 || place < 0) return null;
  const columns = series.metrics.get(metric);
  const value = columns ? valueAt(series, columns, row, place) : null;
  const verdict = series.verdicts[row]?.[place] ?? null;
  return value === null && verdict === null ? null : { value, verdict, reason: series.reasons[row]?.[place] ?? null };
}

export interface Rounds {
  /** Of the run. */
  planned: Figure;
  /** The most that a figure of its kind has: what is counted once needs no more. */
  most: Figure;
}

export function roundsOf(series: Series, metric: string, { id, rounds }: { id: string; rounds: Figure }): Rounds {
  const place = series.runs.indexOf(id);
  const made = (series.metrics.get(metric)?.trials ?? []).flatMap(row => row[place] ?? []);
  return { planned: rounds, most: made.length === 0 ? null : Math.max(...made) };
}

/** `4 of 6 rounds`, where others have more; `null` where none is missing. */
export function missedRounds({ trials, trusted }: Value, { planned, most }: Rounds): string | null {
  if (!trusted || trials === null || most === null || trials >= most) return null;
  return `${trials} of ${planned ?? most} rounds`;
}

export interface Found extends Value {
  /** `4 of 6 rounds`, where rounds are missing. */
  missed: string | null;
}

/** The figure of a subject in a run, with the rounds that it lacks; `null` where nothing was measured. */
export function foundAt(
  series: Series | undefined,
  metric: string,
  subject: string,
  run: { id: string; rounds: Figure },
): Found | null {
  const value = series && cellAt(series, metric, subject, run.id)?.value;
  return value ? { ...value, missed: missedRounds(value, roundsOf(series, metric, run)) } : null;
}
