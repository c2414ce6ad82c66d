// Which lines a chart of curves has: a few by themselves, others for whom the reader picks.
import type { Subject } from './types';

/** As many as there are colours. */
export const MOST_LINES = 8;
/** Beside the reference; more lines than a few are looked at by who picks them. */
export const FIRST = 3;
/** Asks for the first few by name: an address with a choice is shown whole, so that focus survives. */
export const BEST = 'best';

/** The keys that the address asks for, or the reference and the first few that are fit to be shown unasked. */
export function chosenLines(asked: string | null, all: Subject[], isFit: (subject: Subject) => boolean): string[] {
  if (asked !== null && asked !== BEST) {
    const wanted = new Set(asked.split(','));
    return all
      .map(({ key }) => key)
      .filter(key => wanted.has(key))
      .slice(0, MOST_LINES);
  }
  const reference = all.filter(({ role }) => role === 'reference');
  const fit = all.filter(subject => subject.role === 'framework' && subject.variant === 'default' && isFit(subject));
  return [...reference, ...fit.slice(0, FIRST)].map(({ key }) => key);
}
