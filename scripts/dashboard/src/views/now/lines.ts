// Which lines the curves of latency have: a few by themselves, others for whom the reader picks.
import { haveRatios, KINDS, ordered, type Row } from '../../data/snapshot';

/** As many as there are colours. */
export const MOST_LINES = 8;
/** Beside the reference; more lines than a few are looked at by who picks them. */
export const FIRST = 3;
/** Asks for the first few by name: an address with a choice is shown whole, so that focus survives. */
export const BEST = 'best';

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

/** The keys that the address asks for, or the reference and the first few whose figures are trusted. */
export function chosenOf(asked: string | null, rows: Row[]): string[] {
  const all = rows.map(({ subject }) => subject.key);
  if (asked !== null && asked !== BEST) {
    const wanted = new Set(asked.split(','));
    return all.filter(key => wanted.has(key)).slice(0, MOST_LINES);
  }
  const reference = rows.filter(({ subject }) => subject.role === 'reference');
  const first = rows
    .filter(({ subject, cell }) => subject.role === 'framework' && subject.variant === 'default' && cell.value?.trusted)
    .slice(0, FIRST);
  return [...reference, ...first].map(({ subject }) => subject.key);
}
