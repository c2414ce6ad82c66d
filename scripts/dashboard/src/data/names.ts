// Names for people, of apps and subjects.
import type { Period, Subject } from './types';

export function appNames(period: Period | null): (app: string) => string {
  const names = new Map([...(period?.subjects.values() ?? [])].map(subject => [subject.app, subject.name]));
  return app => names.get(app) ?? app;
}

/** Of an app in a variant, as the published files have it. */
export const keyOf = ({ app, variant }: Pick<Subject, 'app' | 'variant'>): string =>
  variant === 'default' ? app : `${app}:${variant}`;

export const subjectName = ({ name, variant }: Pick<Subject, 'name' | 'variant'>): string =>
  variant === 'default' ? name : `${name}, ${variant}`;

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

/** The names that most people come for. */
export const KNOWN = ['Actix Web', 'Axum', 'Rocket'];

/** The version of a subject that was measured last. */
export const versionOf = (period: Period, key: string): string | null =>
  period.versions.get(key)?.findLast(each => each !== null) ?? null;
