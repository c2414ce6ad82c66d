// In which order the curves of latency stand.
import { chosenLines } from '../../data/chosen-lines';
import { haveRatios, KINDS, ordered, type Row } from '../../data/snapshot';

/** The reference, then each kind in the order of its ranking. */
export function inOrder(rows: Row[]): Row[] {
  const byRatio = haveRatios(rows);
  const kinds = KINDS.map(({ tier }) =>
    ordered(
      rows.filter(({ subject }) => subject.role === 'framework' && subject.tier === tier),
      false,
      byRatio,
    ),
  );
  const role = (wanted: string) => rows.filter(({ subject }) => subject.role === wanted);
  return [...role('reference'), ...kinds.flat(), ...role('ceiling')];
}

/** The keys that the address names, or else the reference and the first few whose figures are trusted. */
export function chosenOf(named: string | null, rows: Row[]): string[] {
  const trusted = new Set(rows.filter(({ cell }) => cell.value?.trusted).map(({ subject }) => subject.key));
  return chosenLines(
    named,
    rows.map(({ subject }) => subject),
    ({ key }) => trusted.has(key),
  );
}
