// The figures of a scenario over several periods, joined to one list of points in time.
import { type Value, valueAt } from './figures';
import { periodsFor, type Span } from './periods';
import { orNull, type Store } from './store';
import type { Lane, Run, Subject } from './types';

export interface Point {
  run: Run;
  /** `2024` or `2026-11`. */
  period: string;
  /** Runs behind the point: more than one in a finished year. */
  runs: number;
}

export interface Line {
  subject: Subject;
  /** One place for each point. */
  values: (Value | null)[];
  versions: (string | null)[];
}

export interface History {
  points: Point[];
  lines: Line[];
  /** Metrics that a file of the span has. */
  metrics: Set<string>;
  /** Files that should have been there. */
  problems: string[];
}

export async function history(
  store: Store,
  lane: Lane,
  scenario: string,
  metric: string,
  span: Span,
): Promise<History> {
  const periods = periodsFor(lane, span);
  const files = await Promise.all(
    periods.map(async period => ({
      period,
      runs: await store.period(lane.name, period),
      series: await store.series(lane.name, period, scenario),
    })),
  );
  const points: Point[] = [];
  const lines = new Map<string, Line>();
  const metrics = new Set<string>();
  const problems: string[] = [];

  for (const file of files) {
    const period = orNull(file.runs);
    const series = orNull(file.series);
    if ('problem' in file.runs) problems.push(file.runs.problem);
    // A scenario that was not measured in a period has no file there.
    if ('problem' in file.series && !file.series.missing) problems.push(file.series.problem);
    if (period === null || series === null) continue;
    for (const id of series.metrics.keys()) metrics.add(id);
    const columns = series.metrics.get(metric);
    if (columns === undefined) continue;

    const placeOf = new Map(period.runs.map((run, place) => [run.id, place]));
    const rowOf = new Map(series.subjects.map((key, row) => [key, row]));
    for (const subject of period.subjects.values()) {
      if (!lines.has(subject.key))
        lines.set(subject.key, { subject, values: padding(points), versions: padding(points) });
    }
    series.runs.forEach((id, place) => {
      const runPlace = placeOf.get(id);
      const run = runPlace === undefined ? undefined : period.runs[runPlace];
      if (run === undefined || runPlace === undefined) return;
      points.push({ run, period: file.period, runs: period.points?.[runPlace] ?? 1 });
      for (const [key, line] of lines) {
        const row = rowOf.get(key);
        line.values.push(row === undefined ? null : valueAt(series, columns, row, place));
        line.versions.push(period.versions.get(key)?.[runPlace] ?? null);
      }
    });
  }
  return inOrder({ points, lines: [...lines.values()], metrics, problems });
}

/** A subject that joins later has nothing before. */
const padding = (points: Point[]): null[] => new Array(points.length).fill(null);

/** By time: files need not list their runs in order. */
function inOrder(history: History): History {
  const order = history.points.map((_, place) => place);
  const at = (place: number) => history.points[place]?.run.started_at ?? 0;
  if (order.every(place => place === 0 || at(place - 1) <= at(place))) return history;
  order.sort((a, b) => at(a) - at(b));
  return {
    points: order.flatMap(place => history.points[place] ?? []),
    lines: history.lines.map(line => ({
      subject: line.subject,
      values: order.map(place => line.values[place] ?? null),
      versions: order.map(place => line.versions[place] ?? null),
    })),
    metrics: history.metrics,
    problems: history.problems,
  };
}
