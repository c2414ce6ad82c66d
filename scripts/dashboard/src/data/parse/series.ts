// data/<lane>/series/<period>/<scenario>.json: all figures of a scenario in a period.
import type * as Published from '../generated/published';
import { METRICS } from '../metrics';
import { FIGURES, type MetricColumns, type Rank, type Series } from '../types';
import * as border from './border';

const NEWEST_VERSION = 1;

const asItIs = (value: unknown): unknown => value ?? null;

export function series(value: unknown, notices: border.Notices): Series | string {
  const source = border.entries<Published.Figures>(value);
  const refused = border.refusal(source, NEWEST_VERSION, 'a series');
  if (refused !== null) return refused;

  const rawRuns = border.items(source.get('runs'));
  const rawSubjects = border.items(source.get('subjects'));
  const places = (raw: unknown[], each: (item: unknown) => string | null, what: string) =>
    raw.flatMap((item, place) => {
      const id = each(item);
      if (id === null) notices.add(`a ${what} of a series whose name is not understood was left out`);
      return id === null ? [] : [{ id, place }];
    });
  const runs = places(rawRuns, border.name, 'run');
  const subjects = places(rawSubjects, border.subjectKey, 'subject');

  // Only the rows and places of what is understood; usually that is all of it.
  const aligned = <T>(values: unknown, each: (item: unknown) => T | null): (T | null)[][] => {
    const all = border.matrix(values, rawSubjects.length, rawRuns.length, each);
    if (runs.length === rawRuns.length && subjects.length === rawSubjects.length) return all;
    return subjects.map(subject => runs.map(run => all[subject.place]?.[run.place] ?? null));
  };

  const ranks = (fields: Map<keyof Published.Matrix, unknown>): (Rank | null)[][] => {
    const [bests, worsts] = [aligned(fields.get('rank_best'), asItIs), aligned(fields.get('rank_worst'), asItIs)];
    return subjects.map((_, row) =>
      runs.map((_, place) => {
        const ends = [bests[row]?.[place] ?? null, worsts[row]?.[place] ?? null] as const;
        if (ends[0] === null && ends[1] === null) return null;
        const rank = border.rank(...ends, rawSubjects.length);
        if (rank === null) notices.add('a rank that is not a range of places was left out');
        return rank;
      }),
    );
  };

  const keyAt = (place: unknown) => subjects.find(subject => subject.place === place)?.id ?? [];
  const behind = (item: unknown) => (Array.isArray(item) ? item.flatMap(keyAt) : null);

  const metrics = new Map<string, MetricColumns>();
  for (const [id, columns] of border.entries(source.get('metrics'))) {
    if (!METRICS.has(id)) {
      notices.add(`metric “${border.text(id) ?? ''}” is not known to this page and was left out`);
      continue;
    }
    const fields = border.entries<Published.Matrix>(columns);
    const figures = FIGURES.map(field => [field, aligned(fields.get(field), border.finite)]);
    metrics.set(id, {
      ...Object.fromEntries(figures),
      rank: ranks(fields),
      behind: aligned(fields.get('behind'), behind),
    });
  }
  return {
    scenario: border.name(source.get('scenario')) ?? '',
    period: border.text(source.get('period')) ?? '',
    runs: runs.map(({ id }) => id),
    subjects: subjects.map(({ id }) => id),
    verdicts: aligned(source.get('verdicts'), border.word<Published.Verdict>()),
    reasons: aligned(source.get('reasons'), border.text),
    metrics,
  };
}
