// Which lines a chart of curves has: a few by themselves, others for whom the reader picks.
import type { Subject } from './types';

/** As many as there are colours. */
export const MOST_LINES = 8;
/** Besides the reference; further lines are for the reader to pick. */
export const FIRST = 3;
/** Stands for the first few in an address: one with a choice is shown whole, so that focus survives. */
export const BEST = 'best';

/** The keys that the address names, or else the reference and the first few that are fit to be shown. */
export function chosenLines(named: string | null, all: Subject[], fit: string[]): string[] {
  if (named !== null && named !== BEST) {
    const wanted = new Set(named.split(','));
    return all
      .map(({ key }) => key)
      .filter(key => wanted.has(key))
      .slice(0, MOST_LINES);
  }
  const reference = all.filter(({ role }) => role === 'reference');
  const first = all.filter(
    ({ key, role, variant }) => role === 'framework' && variant === 'default' && fit.includes(key),
  );
  return [...reference, ...first.slice(0, FIRST)].map(({ key }) => key);
}
