// The border between JSON of unknown origin and what the site computes with. A reader takes `unknown` and gives a typed value or
// `null`; nothing throws, and nothing that is not understood passes. What is left out is said in a notice. Keys and kinds are
// those of the generated types, which follow from the harness: a key that it renames or retypes fails to compile here.

import type { Rank } from '../generated/published';

/** Reads what the contract says is a `From`. */
export interface Reader<From, To> {
  (value: unknown, notices: Notices): To;
  /** Never there: it lets the compiler see what is read. */
  readonly reads?: (from: From) => void;
}

/** A reader that leaves nothing out, and so has nothing to say of it. */
export interface Plain<From, To> {
  (value: unknown): To;
  readonly reads?: (from: From) => void;
}

/** What a reader gives where it understands what it reads. */
export type Read<R> = R extends Reader<never, infer To> ? NonNullable<To> : never;

/** What was left out while reading, each text once with how often. */
export class Notices {
  readonly #texts = new Map<string, number>();

  add(text: string): void {
    this.#texts.set(text, (this.#texts.get(text) ?? 0) + 1);
  }

  get list(): string[] {
    return [...this.#texts].map(([text, times]) => (times > 1 ? `${text} (${times} times)` : text));
  }

  merge(other: Notices): void {
    for (const [text, times] of other.#texts) this.#texts.set(text, (this.#texts.get(text) ?? 0) + times);
  }
}

/** Own keys only, as a map, so that a key like `__proto__` is a key like any other. With a published type only its keys are asked for. */
export function entries<P = Record<string, unknown>>(value: unknown): Map<keyof P & string, unknown> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return new Map(isObject ? (Object.entries(value) as [keyof P & string, unknown][]) : []);
}

type Shape<P> = { readonly [K in keyof P]?: Reader<NonNullable<P[K]>, unknown> };
type Given<R> = R extends Reader<never, infer To> ? To : never;
type Fields<S, Needed> = { [K in keyof S]: K extends Needed ? NonNullable<Given<S[K]>> : Given<S[K]> };

/** Nothing is missing where nothing is needed. */
type Missing<Needed> = [Needed] extends [never] ? never : null;

/** Reads the fields of a published `P` that are named; `null` where one that is needed is not understood. Other keys are ignored. */
export function object<P>() {
  return <S extends Shape<P> & Record<Exclude<keyof S, keyof P>, never>, Needed extends keyof S = never>(
    shape: S,
    ...needed: Needed[]
  ): Reader<P, Fields<S, Needed> | Missing<Needed>> => {
    const readers = Object.entries<Reader<never, unknown>>(shape);
    return (value, notices) => {
      const source = entries(value);
      const read: Record<string, unknown> = {};
      for (const [key, each] of readers) {
        read[key] = each(source.get(key), notices);
        if (read[key] === null && (needed as string[]).includes(key)) return null as Missing<Needed>;
      }
      return read as Fields<S, Needed>;
    };
  };
}

/** One of these words and no other. */
export function oneOf<T extends string>(words: Record<T, unknown>): Plain<T, T | null> {
  return value => (typeof value === 'string' && Object.hasOwn(words, value) ? (value as T) : null);
}

/** Longer texts are no names nor reasons, and would push everything else off the page. */
const LONGEST_TEXT = 400;

const upTo =
  (longest: number): Plain<string, string | null> =>
  value => {
    if (typeof value !== 'string' || value === '') return null;
    return value.length > longest ? `${value.slice(0, longest)}…` : value;
  };

export const text = upTo(LONGEST_TEXT);

/** Bytes as the harness escapes them, of which it keeps 2 KiB. */
export const escaped = upTo(8 * 1024 + 1);

export const flag: Plain<boolean, boolean> = value => value === true;

/** Figures by their name. */
export const figures: Plain<{ readonly [name: string]: number }, Map<string, number>> = value =>
  new Map(
    [...entries(value)].flatMap(([key, figure]) => {
      const read = atLeastZero(figure);
      return read === null || name(key) === null ? [] : [[key, read]];
    }),
  );

/** A word of the harness. A later one may write others, which are shown as they are: the type names those that may be asked for. */
export const word = <T extends string>() => text as Plain<T, T | null>;

/** A number that can be drawn. A string such as "NaN" or "12" is none. */
export const finite: Plain<number, number | null> = value =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

export const atLeastZero: Plain<number, number | null> = value =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;

/** A place in a ranking of `most` at most: a whole number from 1. */
const rankPlace = (value: unknown, most: number): number | null =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most ? (value as number) : null;

/** A range of places among `most`. What is none is left out whole: half a range would prove what nobody said. */
export function rank(best: unknown, worst: unknown, most: number): Rank | null {
  const [from, to] = [rankPlace(best, most), rankPlace(worst, most)];
  return from !== null && to !== null && from <= to ? { best: from, worst: to } : null;
}

/** Milliseconds since 1970 of an RFC 3339 time within the years that a date can be shown for. */
export const time: Plain<string, number | null> = value => {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT/.test(value)) return null;
  const parsed = Date.parse(value);
  return Number.isFinite(parsed) ? parsed : null;
};

/** A name that becomes part of an address: a lane, a run, a scenario, an app. */
export const name: Plain<string, string | null> = value => {
  if (typeof value !== 'string' || value.length > 120) return null;
  return /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(value) && !value.includes('..') ? value : null;
};

/** The key of a subject: an app, or an app and a variant. */
export function subjectKey(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const parts = value.split(':');
  return parts.length <= 2 && parts.every(part => name(part) !== null) ? value : null;
}

/** An address that may be linked to: what begins with `javascript:` may not. */
export const link: Plain<string, string | null> = value => {
  if (typeof value !== 'string') return null;
  try {
    const { protocol, href } = new URL(value);
    return protocol === 'https:' || protocol === 'http:' ? href : null;
  } catch {
    return null;
  }
};

/** The places of a list that are understood; the others are left out and counted. */
export const list =
  <From, T>(each: Reader<From, T | null>, what: string): Reader<readonly From[], T[]> =>
  (value, notices) => {
    if (value === null || value === undefined) return [];
    if (!Array.isArray(value)) {
      notices.add(`${what}: not a list, left out`);
      return [];
    }
    const understood: T[] = [];
    for (const item of value) {
      const typed = each(item, notices);
      if (typed === null) notices.add(`${what}: an entry that is not understood was left out`);
      else understood.push(typed);
    }
    return understood;
  };

/** A list, empty where there is none. */
export const items = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

export const texts: Plain<readonly string[], string[]> = value => items(value).flatMap(item => text(item) ?? []);

/** A list of `length` places; what is missing or of another kind is `null`, so that places stay aligned with runs. */
export function row<T>(value: unknown, length: number, each: (item: unknown) => T | null): (T | null)[] {
  const source = items(value);
  const typed: (T | null)[] = new Array(length);
  for (let place = 0; place < length; place += 1) typed[place] = each(source[place]);
  return typed;
}

export function matrix<T>(
  value: unknown,
  rows: number,
  columns: number,
  each: (item: unknown) => T | null,
): (T | null)[][] {
  const source = items(value);
  return Array.from({ length: rows }, (_, place) => row(source[place], columns, each));
}

/** Why a document cannot be read, or `null` if it can: a newer version is refused by name. */
export function refusal(document: Map<string, unknown>, newest: number, what: string): string | null {
  if (document.size === 0) return `${what} is not the object that it should be`;
  const version = finite(document.get('schema_version'));
  if (version === null) return `${what} does not say its schema_version`;
  if (version > newest) {
    return `${what} has schema_version ${version}; this page knows versions up to ${newest}. Reload the page, or update it`;
  }
  return null;
}
