// Two frameworks in all kinds of work that their runs gave both: the ratio from the rounds that they shared, and what their runs say
// of it.
import { grouped } from './breaks';
import { cellAt, type Value } from './figures';
import { type Judgement, paired } from './judge';
import { hasOwnPage, kindsOf, labelOf } from './kinds';
import { METRICS, type Metric, P99 } from './metrics';
import { subjectName } from './names';
import { findRun, runOf } from './runs';
import { ownMetric } from './scenarios';
import type { Store } from './store';
import type { Index, Lane, Period, Run, RunFigures, Scenario, Subject } from './types';

/** The pair that somebody sees who has not chosen: the two that most people choose between. */
export const FIRST = ['axum', 'actix-web'] as const;

/** All frameworks of the place that a run has, by the name that people know, with the key of the first server. */
export interface Kinds {
  runs: { label: string; found: RunFigures }[];
  names: Map<string, string>;
}

/** The newest runs of all kinds, or those that are named. */
export async function kindsToCompare(store: Store, index: Index, lane: Lane, ids: string[]): Promise<Kinds | string> {
  // Drivers stand by themselves: they are compared where somebody looks at their runs.
  const isOf = (name: string) => !hasOwnPage(name) && (name === lane.name || !name.endsWith(':drivers'));
  const kinds = kindsOf(index, lane).filter(kind => isOf(kind.lane));
  const found =
    ids.length === 0
      ? await store.newestOfAll(lane.place).then(all => kinds.map(({ profile }) => all.get(profile) ?? null))
      : await Promise.all(ids.map(id => findRun(store, lane, id)));
  const problem = found.find(each => typeof each === 'string');
  if (problem !== undefined) return problem as string;
  const runs = (found as (RunFigures | null)[])
    .filter(each => each !== null)
    .map(each => ({ label: labelOf(each.run.profile), found: each }));
  if (ids.length > 0) runs.sort((a, b) => b.found.run.started_at - a.found.run.started_at);
  const names = new Map<string, string>();
  for (const { period } of runs.map(each => each.found)) {
    for (const subject of period.subjects.values()) {
      const name = subjectName(subject);
      if (!names.has(name)) names.set(name, subject.key);
    }
  }
  return { runs, names };
}

export interface Line {
  kind: string;
  subject: Subject;
  scenario: Scenario;
  period: Period;
  run: Run;
  metric: Metric;
  a: Value | null;
  b: Value | null;
  judgement: Judgement;
}

/** What two of these names did in all work that either was given: by what a kind of work is about, or in the tail of its latency. */
export function linesOf({ runs }: Kinds, a: string, b: string, inTail = false): Line[] {
  // Of several runs of a kind with the same work, the first counts.
  const seen = new Set<string>();
  return runs.flatMap(({ label, found }) => {
    const { period } = found;
    const of = (name: string) => [...period.subjects.values()].find(subject => subjectName(subject) === name);
    const [one, other] = [of(a), of(b)];
    if (one === undefined || other === undefined) return [];
    return [...period.scenarios.values()].flatMap((scenario): Line[] => {
      const series = found.series.get(scenario.id);
      const metric = inTail ? P99 : METRICS.get(ownMetric(scenario));
      if (series === undefined || metric === undefined || (inTail && !series.metrics.has(P99.id))) return [];
      const run = runOf(found, series);
      const cells = [one, other].map(({ key }) => cellAt(series, metric.id, key, run.id));
      if (cells.every(cell => cell === null)) return [];
      const place = `${label}/${scenario.id}`;
      if (seen.has(place)) return [];
      seen.add(place);
      const [left, right] = cells.map(cell => cell?.value ?? null) as [Value | null, Value | null];
      const judgement = paired(series, metric, { key: one.key, value: left }, { key: other.key, value: right });
      return [{ kind: label, subject: one, scenario, period, run, metric, a: left, b: right, judgement }];
    });
  });
}

export interface Tally {
  kind: string;
  lines: Line[];
  ahead: Line[];
  behind: Line[];
  alike: Line[];
}

/** By the kind of run, as many as there are. */
export function tallies(lines: Line[]): Tally[] {
  return [...grouped(lines, ({ kind }) => kind)].map(([kind, lines]) => ({
    kind,
    lines,
    ahead: lines.filter(({ judgement }) => judgement.told === 'good'),
    behind: lines.filter(({ judgement }) => judgement.told === 'bad'),
    alike: lines.filter(({ judgement }) => judgement.told === 'alike'),
  }));
}
