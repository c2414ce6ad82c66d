// The verdicts, in words. A verdict that this page does not know is shown by its name and never trusted.
import type { Verdict } from './generated/published';
import { type VerdictWords, words } from './words';

/** Nothing speaks against it. */
export const VALID: Verdict = 'valid';

export const VERDICTS: ReadonlyMap<string, VerdictWords> = new Map(
  words.verdicts.map(verdict => [verdict.id, verdict]),
);

export function verdictLabel(id: string | null): string {
  if (id === null) return 'not measured';
  return VERDICTS.get(id)?.label ?? `${id} (a verdict that this page does not know)`;
}

/** What a figure says for itself and what a verdict that is not known takes from it. */
export const knownVerdict = (id: string | null): boolean => id !== null && VERDICTS.has(id);
