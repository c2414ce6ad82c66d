// The whole page with given files, in a document without a browser: what it shows and does, but not how it looks.
import { vi } from 'vitest';
import type { Files } from '../synthetic/generate';

/** What the page read, below its folder. */
export const read: string[] = [];

/** Charts are drawn on it, unseen. */
const CANVAS = new Proxy({} as never, { get: () => () => ({ width: 10 }), set: () => true });

const { addEventListener, removeEventListener } = window;
const listening: (() => void)[] = [];

/** What a page before this one listens to would show its views as well. */
function listen(type: string, listener: EventListener): void {
  addEventListener.call(window, type, listener);
  listening.push(() => removeEventListener.call(window, type, listener));
}

/** Starts the page at an address: what follows `#/`. */
export async function start(files: Files, route = 'method'): Promise<void> {
  read.length = 0;
  for (const stop of listening.splice(0)) stop();
  vi.stubGlobal('addEventListener', listen);
  vi.stubGlobal('fetch', async (address: string) => {
    const path = new URL(address).pathname.slice(1);
    read.push(path);
    const found = files.get(path);
    if (found === undefined) return new Response('', { status: 404 });
    return new Response(typeof found === 'string' ? found : JSON.stringify(found));
  });
  HTMLCanvasElement.prototype.getContext = () => CANVAS;
  vi.stubGlobal('Path2D', function path() {
    return CANVAS;
  });
  vi.stubGlobal('requestIdleCallback', (done: () => void) => setTimeout(done));
  vi.resetModules();
  location.hash = `#/${route}`;
  await shown(() => import('../../src/main'));
}

export const open = (route: string): Promise<void> =>
  shown(() => {
    // An address that is there already is shown again.
    if (location.hash === `#/${route}`) dispatchEvent(new Event('hashchange'));
    location.hash = `#/${route}`;
  });

/** Does what leads to another view, and waits until that is there with all that it loads. */
export async function shown(act: () => unknown): Promise<void> {
  performance.clearMarks('view-shown');
  await act();
  await until(() => performance.getEntriesByName('view-shown').length > 0 && all('[aria-busy]').length === 0);
}

const until = (holds: () => boolean): Promise<void> =>
  vi.waitFor(
    () => {
      if (!holds()) throw new Error(`not shown: ${location.hash}`);
    },
    { interval: 2, timeout: 30_000 },
  );

export const all = (selector: string): HTMLElement[] => [...document.querySelectorAll<HTMLElement>(selector)];

export function one(selector: string): HTMLElement {
  const [found] = all(selector);
  if (found === undefined) throw new Error(`there is no ${selector}`);
  return found;
}

export const texts = (selector: string): string[] => all(selector).map(each => each.textContent);

export const main = (): string => one('main').textContent;

/** Follows a link, or presses what is no link. */
export const press = (element: HTMLElement): Promise<void> =>
  shown(() => {
    if (element instanceof HTMLAnchorElement) location.hash = element.getAttribute('href') ?? '';
    else element.click();
  });

export function link(name: string, within = 'body'): HTMLElement {
  const found = all(`${within} a`).find(each => each.textContent.trim() === name);
  if (found === undefined) throw new Error(`no link is called ${name}`);
  return found;
}

export const choose = (selector: string, value: string): Promise<void> =>
  shown(() => {
    const select = one(selector) as HTMLSelectElement;
    select.value = value;
    select.dispatchEvent(new Event('change'));
  });

/** Opens what is folded away, which builds it. */
export function unfold(selector: string): void {
  one(selector).setAttribute('open', '');
  one(selector).dispatchEvent(new Event('toggle'));
}

/** What the search finds. */
export async function search(query: string): Promise<string[]> {
  const input = one('#search') as HTMLInputElement;
  one('#search-results').replaceChildren();
  input.value = query;
  input.dispatchEvent(new Event('input'));
  await until(() => all('#search-results [role=option]').length > 0);
  return texts('#search-results [role=option]');
}

export const key = (target: EventTarget, name: string): boolean =>
  target.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true }));
