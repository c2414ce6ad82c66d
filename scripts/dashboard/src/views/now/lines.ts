// Which curves of latency there are, and in which order.
import { CPU, METRICS } from '../../data/metrics';
import { JUDGED_BY } from '../../data/percentiles';
import { groupsOf, type Row } from '../../data/snapshot';

/** As many as there are colours. */
export const MOST_LINES = 8;
/** Besides the reference; further lines are for the reader to pick. */
export const FIRST = 3;
/** Stands for the first few in an address: one with a choice is shown whole, so that focus survives. */
export const BEST = 'best';

/** The reference, then each kind in the order of its ranking. */
export function inOrder(rows: Row[]): Row[] {
  const role = (wanted: string) => rows.filter(({ subject }) => subject.role === wanted);
  const frameworks = groupsOf(role('framework'), METRICS.get(JUDGED_BY) ?? CPU);
  return [...role('reference'), ...frameworks.flatMap(group => group.rows), ...role('ceiling')];
}

/** The keys that the address names, or else the reference and the first few whose figures are trusted. */
export function chosenOf(named: string | null, rows: Row[]): string[] {
  const keysOf = (some: Row[]) => some.map(({ subject }) => subject.key);
  if (named !== null && named !== BEST) {
    const wanted = new Set(named.split(','));
    return keysOf(rows.filter(({ subject }) => wanted.has(subject.key)).slice(0, MOST_LINES));
  }
  const first = rows.filter(
    ({ subject: { role, variant }, cell }) => role === 'framework' && variant === 'default' && cell.value?.trusted,
  );
  return keysOf([...rows.filter(({ subject }) => subject.role === 'reference'), ...first.slice(0, FIRST)]);
}
