// The figures of a scenario over time, of the runs within a span.
import { type Value, valueAt } from './figures';
import { isProblem, type Store } from './store';
import type { Lane, Run, Subject } from './types';

export interface Span {
  /** Milliseconds since 1970, both inclusive. */
  from: number;
  to: number;
}

export interface Line {
  subject: Subject;
  /** One place for each point. */
  values: (Value | null)[];
  versions: (string | null)[];
}

export interface History {
  points: { run: Run }[];
  lines: Line[];
  /** Metrics of the series. */
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
  const [period, series] = await Promise.all([store.period(lane), store.series(lane, scenario)]);
  if (isProblem(period) || isProblem(series)) {
    const problems = [period, series].flatMap(each => (isProblem(each) ? [each.problem] : []));
    return { points: [], lines: [], metrics: new Set(), problems };
  }
  const columns = series.metrics.get(metric);
  const placeOf = new Map(series.runs.map((id, place) => [id, place]));
  const rowOf = new Map(series.subjects.map((key, row) => [key, row]));
  const shown = period.runs.flatMap((run, at) => {
    const place = placeOf.get(run.id);
    const isShown = columns !== undefined && run.started_at >= span.from && run.started_at <= span.to;
    return place !== undefined && isShown ? [{ run, at, place }] : [];
  });
  const lines = [...period.subjects.values()].map(subject => {
    const row = rowOf.get(subject.key);
    return {
      subject,
      values: shown.map(({ place }) =>
        row === undefined || columns === undefined ? null : valueAt(series, columns, row, place),
      ),
      versions: shown.map(({ at }) => period.versions.get(subject.key)?.[at] ?? null),
    };
  });
  return {
    points: shown.map(({ run }) => ({ run })),
    lines: columns === undefined ? [] : lines,
    metrics: new Set(series.metrics.keys()),
    problems: [],
  };
}
