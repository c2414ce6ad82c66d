// data/<lane>/series/<period>/<scenario>.json: all figures of a scenario in a period.
import { METRICS } from '../metrics';
import type { MetricColumns, Rank, Series } from '../types';
import * as border from './border';

const NEWEST_VERSION = 1;

const asItIs = (value: unknown): unknown => value ?? null;

export function series(value: unknown, notices: border.Notices): Series | string {
  const source = border.entries(value);
  const refused = border.refusal(source, NEWEST_VERSION, 'a series');
  if (refused !== null) return refused;

  const rawRuns: unknown[] = Array.isArray(source.get('runs')) ? (source.get('runs') as unknown[]) : [];
  const rawSubjects: unknown[] = Array.isArray(source.get('subjects')) ? (source.get('subjects') as unknown[]) : [];
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

  // An older `rank_tier` proved less than it said, and is no rank.
  const ranks = (fields: Map<string, unknown>): (Rank | null)[][] => {
    const [best, worst] = ['rank_best', 'rank_worst'].map(field => aligned(fields.get(field), asItIs));
    return subjects.map((_, row) =>
      runs.map((_, place) => {
        const ends = [best?.[row]?.[place] ?? null, worst?.[row]?.[place] ?? null] as const;
        if (ends[0] === null && ends[1] === null) return null;
        const rank = border.rank(...ends, rawSubjects.length);
        if (rank === null) notices.add('a rank that is not a range of places was left out');
        return rank;
      }),
    );
  };

  const metrics = new Map<string, MetricColumns>();
  for (const [id, columns] of border.entries(source.get('metrics'))) {
    if (!METRICS.has(id)) {
      notices.add(`metric “${border.text(id) ?? ''}” is not known to this page and was left out`);
      continue;
    }
    const fields = border.entries(columns);
    const figures = (field: string) => aligned(fields.get(field), border.finite);
    metrics.set(id, {
      median: figures('median'),
      low: figures('low'),
      high: figures('high'),
      ratio: figures('ratio'),
      ratioLow: figures('ratio_low'),
      ratioHigh: figures('ratio_high'),
      rank: ranks(fields),
      trusted: figures('trusted'),
      trials: figures('trials'),
    });
  }
  return {
    scenario: border.name(source.get('scenario')) ?? '',
    period: border.text(source.get('period')) ?? '',
    runs: runs.map(({ id }) => id),
    subjects: subjects.map(({ id }) => id),
    verdicts: aligned(source.get('verdicts'), border.text),
    reasons: aligned(source.get('reasons'), border.text),
    metrics,
  };
}
