// From a history to the columns that the chart draws: time, and for each chosen framework the figure and its interval. Figures
// that are not trusted are left out of the line, for the line says what happened.

import { type Basis, type Drawn, drawnBy } from '../data/figures';
import type { History, Line } from '../data/history';
import type { Metric } from '../data/metrics';
import type { Changes } from '../data/types';

export interface TrendColumns {
  /** Seconds since 1970, as uPlot counts. */
  x: number[];
  lines: { line: Line; drawn: (Drawn | null)[] }[];
  /** Place in the history of each place here; `null` where a gap was put in. */
  points: (number | null)[];
}

/** When another machine or runner began, in seconds since 1970. */
export const startsOf = ({ segments }: Pick<Changes, 'segments'>): number[] =>
  segments.slice(1).map(({ started_at }) => started_at / 1000);

/** At `starts`, in seconds since 1970, lines are interrupted. */
export function trendColumns(
  history: History,
  chosen: string[],
  metric: Metric,
  basis: Basis,
  starts: number[],
): TrendColumns {
  const times = history.points.map(({ run }) => run.started_at / 1000);
  const { x, points } = withGaps(times, starts);
  const lines = chosen.flatMap(key => {
    const line = history.lines.find(({ subject }) => subject.key === key);
    if (line === undefined) return [];
    const drawn = points.map(at => {
      const value = at === null ? null : (line.values[at] ?? null);
      return value?.trusted ? drawnBy(value, basis, metric) : null;
    });
    return [{ line, drawn }];
  });
  return { x, lines, points };
}

/** Figures of two machines or runners may not be joined by a line, for ratios move with the cpu, too: a place without figures stands between. */
function withGaps(times: number[], starts: number[]): { x: number[]; points: (number | null)[] } {
  const x: number[] = [];
  const points: (number | null)[] = [];
  times.forEach((time, at) => {
    const before = times[at - 1];
    if (before !== undefined && starts.some(start => before < start && time >= start)) {
      x.push((before + time) / 2);
      points.push(null);
    }
    x.push(time);
    points.push(at);
  });
  return { x, points };
}
