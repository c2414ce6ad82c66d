// The address after `#` is the whole state of a view: `#/trends?lane=hosted-x64&scenario=plaintext`. So every view can be
// shared, and the back button undoes a choice.

import { VIEWS, type ViewName } from './views';

export interface Route {
  view: ViewName;
  /** What the view is about: the framework, the run. */
  subject: string | null;
  parameters: Map<string, string>;
}

/** Views that became parts of What if: old links lead there. */
const OF_RATIOS = ['variants', 'protocols', 'scaling'];

export type Patch = Record<string, string | null>;

export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#/, '').split('?', 2);
  const [, view = '', subject = ''] = path.split('/');
  const moved = OF_RATIOS.includes(view);
  return {
    view: moved ? 'ratios' : Object.hasOwn(VIEWS, view) ? (view as ViewName) : 'overview',
    subject: moved ? view : subject === '' ? null : decode(subject),
    parameters: new Map(new URLSearchParams(query)),
  };
}

/** A link that somebody cut in two has broken escapes. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function formatRoute({ view, subject, parameters }: Route): string {
  const query = new URLSearchParams([...parameters].filter(([, value]) => value !== '')).toString();
  const path = `#/${view}${subject === null ? '' : `/${encodeURIComponent(subject)}`}`;
  return query === '' ? path : `${path}?${query}`;
}

/** The route with some parameters changed; `null` removes one. */
export function patched(route: Route, patch: Patch): Route {
  const parameters = new Map(route.parameters);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) parameters.delete(name);
    else parameters.set(name, value);
  }
  return { ...route, parameters };
}

/** An address of a view with these parameters only. */
export function address(view: ViewName, subject: string | null = null, parameters: Patch = {}): string {
  return formatRoute(patched({ view, subject, parameters: new Map() }, parameters));
}
