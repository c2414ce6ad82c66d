// Names for people, of apps and subjects.
import type { Period, Subject } from '../data/types';

export function appNames(period: Period | null): (app: string) => string {
  const names = new Map([...(period?.subjects.values() ?? [])].map(subject => [subject.app, subject.name]));
  return app => names.get(app) ?? app;
}

export const subjectName = ({ name, variant }: Subject): string =>
  variant === 'default' ? name : `${name}, ${variant}`;
