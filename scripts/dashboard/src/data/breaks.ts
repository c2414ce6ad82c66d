// What breaks: which results a choice shows, and how many cases of which group each server fails.
import { isProblem, type Store } from './store';
import type { Breaks, ProbeCase, ServerResult } from './types';
import { words } from './words';

/** What the reader chose to see; `null` is everything. */
export interface Choice {
  level: 'must' | null;
  protocol: string | null;
  /** Without what is the fault of the engine below. */
  own: boolean;
}

export const GROUPS: ReadonlyMap<string, string> = new Map(words.groups.map(({ id, label }) => [id, label]));

export const groupLabel = (id: string): string => GROUPS.get(id) ?? id;

const FIGURE_LABELS: ReadonlyMap<string, string> = new Map(words.probe_figures.map(({ id, label }) => [id, label]));

export const figureLabel = (id: string): string => FIGURE_LABELS.get(id) ?? id;

/** The key of the server that was probed for one with a database or with features, whose name begins with its name. */
export const probedAs = (key: string): string => key.replace(/-(postgres|services)(?=:|$)/, '');

/** From so many on broken rules are no detail. */
export const MANY = 20;

/** How many mandatory rules the server of this key broke when it was last probed; `undefined` where it was not. */
export type Failed = (key: string) => number | undefined;

export async function failedRules(store: Store): Promise<Failed> {
  const story = await store.probeChanges();
  const failed = isProblem(story) ? undefined : story.runs.at(-1)?.failed;
  // A variant is named as the harness does.
  return key => failed?.get(probedAs(key).replace(/:(.*)/, ' ($1)'));
}

export interface Found {
  result: ServerResult;
  case: ProbeCase;
}

/** Results with their cases, of those that the choice shows. */
export function found({ cases, results }: Breaks, choice: Choice): Found[] {
  return results.flatMap(result => {
    const about = cases.get(result.case);
    const isShown =
      about !== undefined &&
      (choice.level === null || about.level === choice.level) &&
      (choice.protocol === null || result.protocol === choice.protocol) &&
      !(choice.own && result.of_engine);
    return isShown ? [{ result, case: about }] : [];
  });
}

export const fails = ({ result }: Found): boolean => result.outcome === 'failed';

/** Failed cases, those that are demanded without exception and the others. */
export interface Failures {
  must: number;
  other: number;
}

export function failures(list: Found[]): Failures {
  const failed = list.filter(fails);
  const must = failed.filter(each => each.case.level === 'must').length;
  return { must, other: failed.length - must };
}

/** Lists by a key, in the order in which keys are met. */
export function grouped<T>(list: T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of list) {
    const group = groups.get(key(item));
    if (group === undefined) groups.set(key(item), [item]);
    else group.push(item);
  }
  return groups;
}

/** Where a source stands, if it is a section of an RFC. */
export function sourceAddress(source: string): string | null {
  const [, rfc, section] = /^RFC (\d{3,5}), section (\d+(?:\.\d+)*)$/.exec(source) ?? [];
  return rfc === undefined ? null : `https://www.rfc-editor.org/rfc/rfc${rfc}#section-${section}`;
}
