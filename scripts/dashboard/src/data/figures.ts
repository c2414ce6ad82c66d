// One figure of one subject in one run, with all that decides how it may be shown.

import type { Figure, MetricColumns, Series } from './types';
import { knownVerdict } from './verdicts';

export interface Value {
  median: number;
  low: Figure;
  high: Figure;
  ratio: Figure;
  ratioLow: Figure;
  ratioHigh: Figure;
  rankTier: Figure;
  trusted: boolean;
  trials: Figure;
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
  const rankTier = at(columns.rankTier);
  return {
    median,
    low: at(columns.low),
    high: at(columns.high),
    ratio: at(columns.ratio),
    ratioLow: at(columns.ratioLow),
    ratioHigh: at(columns.ratioHigh),
    // What is not trusted is never ranked, whatever the file says.
    rankTier: trusted && rankTier !== null && rankTier >= 1 ? rankTier : null,
    trusted,
    trials: at(columns.trials),
    verdict,
    reason: series.reasons[subject]?.[run] ?? null,
  };
}

export interface Cell {
  value: Value | null;
  verdict: string | null;
  reason: string | null;
}

/** What there is to say of a subject in a run: the figure, or the verdict that stands in its place. */
export function cellAt(series: Series, metric: string, subject: string, run: string): Cell | null {
  const row = series.subjects.indexOf(subject);
  const place = series.runs.indexOf(run);
  if (row < 0 || place < 0) return null;
  const columns = series.metrics.get(metric);
  return {
    value: columns ? valueAt(series, columns, row, place) : null,
    verdict: series.verdicts[row]?.[place] ?? null,
    reason: series.reasons[row]?.[place] ?? null,
  };
}
