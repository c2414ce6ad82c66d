// The pairs of figures that two runs have.
import { type Found, foundAt } from '../../data/figures';
import { type Judgement, judge } from '../../data/judge';
import type { Metric } from '../../data/metrics';
import type { RunFigures, Scenario, Subject } from '../../data/types';

export interface Pair {
  /** What the line is about: a framework, or a scenario. */
  subject: Subject;
  scenario: Scenario;
  a: Found | null;
  b: Found | null;
  judgement: Judgement;
}

/** The same subjects in two runs. */
export function acrossRuns(a: RunFigures, b: RunFigures, scenarios: Scenario[], metric: Metric): Pair[] {
  return scenarios.flatMap(scenario =>
    [...b.period.subjects.values()].flatMap(subject => {
      const at = ({ series, run }: RunFigures) => foundAt(series.get(scenario.id), metric.id, subject.key, run);
      const [left, right] = [at(a), at(b)];
      // The reference's ratio to itself is always one.
      if (subject.role === 'reference' || (left === null && right === null)) return [];
      return [{ subject, scenario, a: left, b: right, judgement: judge(metric, left, right) }];
    }),
  );
}

/** What lies apart first, the largest at the top; then the rest as they come. */
export function bySize(pairs: Pair[]): Pair[] {
  const weight = ({ judgement }: Pair) =>
    judgement.kind === 'apart' ? Math.abs(Math.log(judgement.middle)) : judgement.kind === 'alike' ? -1 : -2;
  return [...pairs].sort((a, b) => weight(b) - weight(a));
}
