// The two sides of a comparison and the pairs of figures that they have.
import { cellAt, missedRounds, roundsOf, type Value } from '../../data/figures';
import { type Judgement, judge } from '../../data/judge';
import type { Metric } from '../../data/metrics';
import type { Figure, Period, Scenario, Series, Subject } from '../../data/types';

export interface Side {
  run: { id: string; rounds: Figure };
  period: Period;
  series: Map<string, Series>;
}

interface Found extends Value {
  /** `4 of 6 rounds`, where rounds are missing. */
  missed: string | null;
}

export interface Pair<J = Judgement> {
  /** What the line is about: a framework, or a scenario. */
  subject: Subject;
  scenario: Scenario;
  a: Found | null;
  b: Found | null;
  judgement: J;
}

function value(side: Side, scenario: string, metric: Metric, key: string): Found | null {
  const series = side.series.get(scenario);
  const found = series && cellAt(series, metric.id, key, side.run.id)?.value;
  return found ? { ...found, missed: missedRounds(found, roundsOf(series, metric.id, side.run)) } : null;
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

/** What lies apart first, the largest at the top; then the rest as they come. */
export function bySize(pairs: Pair[]): Pair[] {
  const weight = ({ judgement }: Pair) =>
    judgement.kind === 'apart' ? Math.abs(Math.log1p(judgement.size)) : judgement.kind === 'alike' ? -1 : -2;
  return [...pairs].sort((a, b) => weight(b) - weight(a));
}
