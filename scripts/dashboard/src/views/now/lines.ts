// In which order the curves of latency stand.
import { chosenLines } from '../../data/chosen-lines';
import { CPU, METRICS } from '../../data/metrics';
import { JUDGED_BY } from '../../data/percentiles';
import { groupsOf, type Row } from '../../data/snapshot';

/** The reference, then each kind in the order of its ranking. */
export function inOrder(rows: Row[]): Row[] {
  const role = (wanted: string) => rows.filter(({ subject }) => subject.role === wanted);
  const frameworks = groupsOf(role('framework'), METRICS.get(JUDGED_BY) ?? CPU);
  return [...role('reference'), ...frameworks.flatMap(group => group.rows), ...role('ceiling')];
}

/** The keys that the address names, or else the reference and the first few whose figures are trusted. */
export const chosenOf = (named: string | null, rows: Row[]): string[] =>
  chosenLines(
    named,
    rows.map(({ subject }) => subject),
    rows.filter(({ cell }) => cell.value?.trusted).map(({ subject }) => subject.key),
  );
