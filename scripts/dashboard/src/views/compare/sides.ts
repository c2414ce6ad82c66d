// The two sides of a comparison and the pairs of figures that they have.
import { cellAt, type Value } from '../../data/figures';
import { type Judgement, judge } from '../../data/judge';
import type { Metric } from '../../data/metrics';
import type { Period, Scenario, Series, Subject } from '../../data/types';

export interface Side {
  label: string;
  run: string;
  period: Period;
  series: Map<string, Series>;
}

export interface Pair {
  /** What the line is about: a framework, or a scenario. */
  subject: Subject;
  scenario: Scenario;
  a: Value | null;
  b: Value | null;
  judgement: Judgement;
}

function value(side: Side, scenario: string, metric: Metric, key: string): Value | null {
  const series = side.series.get(scenario);
  return series === undefined ? null : (cellAt(series, metric.id, key, side.run)?.value ?? null);
}

/** The same subjects in two runs. */
export function acrossRuns(a: Side, b: Side, scenarios: Scenario[], metric: Metric): Pair[] {
  return scenarios.flatMap(scenario =>
    [...b.period.subjects.values()].flatMap(subject => {
      const [left, right] = [value(a, scenario.id, metric, subject.key), value(b, scenario.id, metric, subject.key)];
      // The reference's ratio to itself is always one.
      if (subject.role === 'reference' || (left === null && right === null)) return [];
      return [{ subject, scenario, a: left, b: right, judgement: judge(metric, left, right) }];
    }),
  );
}

/** Two subjects in one run. */
export function acrossSubjects(side: Side, a: string, b: string, scenarios: Scenario[], metric: Metric): Pair[] {
  const subject = side.period.subjects.get(b);
  if (subject === undefined) return [];
  return scenarios.flatMap(scenario => {
    const [left, right] = [value(side, scenario.id, metric, a), value(side, scenario.id, metric, b)];
    return left === null && right === null
      ? []
      : [{ subject, scenario, a: left, b: right, judgement: judge(metric, left, right) }];
  });
}

/** Told apart first, the largest at the top; then the rest as they come. */
export function bySize(pairs: Pair[]): Pair[] {
  const weight = ({ judgement }: Pair) =>
    judgement.kind === 'apart' ? Math.abs(Math.log1p(judgement.size)) : judgement.kind === 'alike' ? -1 : -2;
  return [...pairs].sort((a, b) => weight(b) - weight(a));
}
