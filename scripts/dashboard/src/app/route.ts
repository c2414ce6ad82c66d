// The address after `#` is the whole state of a view: `#/trends?lane=hosted-x64&scenario=plaintext`. So every view can be
// shared, and the back button undoes a choice.

const VIEWS = [
  'overview',
  'news',
  'now',
  'trends',
  'compare',
  'framework',
  'ratios',
  'breaks',
  'run',
  'method',
] as const;
export type ViewName = (typeof VIEWS)[number];

export interface Route {
  view: ViewName;
  /** What the view is about: the framework, the run. */
  subject: string | null;
  parameters: Map<string, string>;
}

/** What became part of another view: old links lead there. */
const MOVED: Partial<Record<string, ViewName>> = { variants: 'ratios', protocols: 'ratios', scaling: 'ratios' };

export type Patch = Record<string, string | null>;

export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#/, '').split('?', 2);
  const [, view = '', subject = ''] = path.split('/');
  const moved = MOVED[view];
  return {
    view: moved ?? VIEWS.find(name => name === view) ?? 'overview',
    subject: moved !== undefined ? view : subject === '' ? null : decode(subject),
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
