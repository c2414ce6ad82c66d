// The border between JSON of unknown origin and the types of the site. Every function takes `unknown` and gives a typed value
// or `null`; nothing throws, and nothing that is not understood passes. What is left out is said in a notice.

import type { Rank } from '../types';

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

/** Own keys only, as a map, so that a key like `__proto__` is a key like any other. */
export function entries(value: unknown): Map<string, unknown> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return new Map(isObject ? Object.entries(value) : []);
}

/** Longer texts are no names nor reasons, and would push everything else off the page. */
const LONGEST_TEXT = 400;

export function text(value: unknown): string | null {
  if (typeof value !== 'string' || value === '') return null;
  return value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT)}…` : value;
}

/** A number that can be drawn. A string such as "NaN" or "12" is none. */
export function finite(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

export function atLeastZero(value: unknown): number | null {
  const number = finite(value);
  return number !== null && number >= 0 ? number : null;
}

/** A place in a ranking of `most` at most: a whole number from 1. */
function rankPlace(value: unknown, most: number): number | null {
  const number = finite(value);
  return number !== null && Number.isInteger(number) && number >= 1 && number <= most ? number : null;
}

/** A range of places among `most`. What is none is left out whole: half a range would prove what nobody said. */
export function rank(best: unknown, worst: unknown, most: number): Rank | null {
  const [from, to] = [rankPlace(best, most), rankPlace(worst, most)];
  return from !== null && to !== null && from <= to ? { best: from, worst: to } : null;
}

/** Milliseconds since 1970 of an RFC 3339 time within the years that a date can be shown for. */
export function time(value: unknown): number | null {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT/.test(value)) return null;
  const parsed = Date.parse(value);
  return Number.isFinite(parsed) ? parsed : null;
}

/** A name that becomes part of an address: a lane, a run, a scenario, an app. */
export function name(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > 120) return null;
  return /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(value) && !value.includes('..') ? value : null;
}

/** The key of a subject: an app, or an app and a variant. */
export function subjectKey(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const parts = value.split(':');
  return parts.length <= 2 && parts.every(part => name(part) !== null) ? value : null;
}

/** An address that may be linked to: what begins with `javascript:` may not. */
export function link(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  try {
    const { protocol, href } = new URL(value);
    return protocol === 'https:' || protocol === 'http:' ? href : null;
  } catch {
    return null;
  }
}

/** The places of a list that are understood; the others are left out and counted. */
export function list<T>(value: unknown, each: (item: unknown) => T | null, what: string, notices: Notices): T[] {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) {
    notices.add(`${what}: not a list, left out`);
    return [];
  }
  const understood: T[] = [];
  for (const item of value) {
    const typed = each(item);
    if (typed === null) notices.add(`${what}: an entry that is not understood was left out`);
    else understood.push(typed);
  }
  return understood;
}

export function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.flatMap(item => text(item) ?? []) : [];
}

/** A list of `length` places; what is missing or of another kind is `null`, so that places stay aligned with runs. */
export function row<T>(value: unknown, length: number, each: (item: unknown) => T | null): (T | null)[] {
  const source: unknown[] = Array.isArray(value) ? value : [];
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
  const source: unknown[] = Array.isArray(value) ? value : [];
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
