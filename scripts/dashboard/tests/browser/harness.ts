// What the browser tests share: a browser, a server below a sub-path with synthetic or real data, and a watch on everything
// that a page must not do.
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { type Served, serve } from '../../server/server';
import { type Files, write } from '../synthetic/generate';

const SITE = join(import.meta.dirname, '../../dist');
const SCREENSHOTS = join(import.meta.dirname, '../../screenshots');
/** For what takes a second on a quiet machine: a test of the site may share its cpus with compilers. */
const PATIENCE_MS = 240_000;
/** The site must work from any sub-path. */
const PREFIX = '/some/where/';
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

async function browser(): Promise<Browser> {
  if (!existsSync(join(SITE, 'index.html'))) throw new Error('the site is not built: npm run build');
  return chromium.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

export interface Site extends Served {
  /** An address of a view: what follows `#/`. */
  at(route: string): string;
}

/** Serves a pages folder, or files that are written to a temporary one. */
export async function site(pages: string | Files): Promise<Site> {
  const temporary = typeof pages === 'string' ? null : await mkdtemp(join(tmpdir(), 'dashboard-pages-'));
  if (temporary !== null && typeof pages !== 'string') await write(pages, temporary);
  const served = await serve(SITE, temporary ?? (pages as string), 0, PREFIX);
  return {
    url: served.url,
    at: route => `${served.url}#/${route}`,
    close: async () => {
      await served.close();
      if (temporary !== null) await rm(temporary, { recursive: true });
    },
  };
}

/** A browser, and a site with these pages, for all tests of a file or of a `describe`. */
export interface Setting {
  readonly chrome: Browser;
  readonly pages: Site;
}

export function setting(content: () => string | Files): Setting {
  let chrome: Browser | undefined;
  let pages: Site | undefined;
  beforeAll(async () => {
    chrome = await browser();
    pages = await site(content());
  });
  afterAll(async () => {
    await chrome?.close();
    await pages?.close();
  });
  const started = <T>(what: T | undefined): T => {
    if (what === undefined) throw new Error('it is there only while the tests run');
    return what;
  };
  return {
    get chrome() {
      return started(chrome);
    },
    get pages() {
      return started(pages);
    },
  };
}

export interface Look {
  width: number;
  height: number;
  dark: boolean;
}

export const DESKTOP: Look = { width: 1280, height: 860, dark: false };
export const PHONE: Look = { width: 320, height: 780, dark: false };

export async function contextOf(browser: Browser, { width, height, dark }: Look): Promise<BrowserContext> {
  const viewport = { width, height };
  const context = await browser.newContext({ viewport, colorScheme: dark ? 'dark' : 'light', acceptDownloads: true });
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}

/** A page for all tests of a `describe`: a new one takes longer than most that is looked at in it. */
export function onePage(context: () => Promise<BrowserContext>): () => Page {
  let page: Page | undefined;
  beforeAll(async () => {
    page = await (await context()).newPage();
  });
  afterAll(async () => {
    await page?.context().close();
  });
  return () => {
    if (page === undefined) throw new Error('it is there only while the tests run');
    return page;
  };
}

/** Everything that a page did and should not have done, in words. */
export function watch(page: Page): string[] {
  const faults: string[] = [];
  page.on('console', message => {
    if (['error', 'warning'].includes(message.type())) faults.push(`console ${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', error => faults.push(`error: ${error.message}`));
  page.on('requestfailed', request => faults.push(`failed: ${request.url()}`));
  page.on('response', response => {
    if (response.status() >= 400) faults.push(`${response.status()}: ${response.url()}`);
  });
  return faults;
}

/** Goes to an address and waits until its view is there with all that it loads. */
export async function open(page: Page, address: string): Promise<void> {
  await leave(page);
  await page.goto(address);
  await entered(page);
  await shown(page);
}

/** Waits until a view is there, and no part of it is still being filled. */
async function shown(page: Page): Promise<void> {
  await page.waitForFunction(
    () => document.querySelector('main h1') !== null && document.querySelector('[aria-busy]') === null,
  );
}

/**
 * Does `act`, which must lead to an address that has `part` in it, and waits until the view of that address is there. The
 * address changes first, and the old view stands until the new one is built.
 */
export async function follow(page: Page, part: string, act: () => Promise<unknown>): Promise<void> {
  await leave(page);
  await act();
  await page.waitForFunction(part => location.hash.includes(part), part);
  await entered(page);
  await shown(page);
}

/** Forgets the view that is shown, so that the next one is recognised, in this document or in another. */
const leave = (page: Page): Promise<void> => page.evaluate(() => performance.clearMarks('view-shown'));

const entered = (page: Page) => page.waitForFunction(() => performance.getEntriesByName('view-shown').length > 0);

/** How far the page scrolls sideways: not at all, it should. */
export const sideways = (page: Page): Promise<number> =>
  page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth));

interface Violation {
  id: string;

  nodes: { target: string[]; failureSummary: string }[];
}

/** All findings of axe, the size of targets included. It comes in by the debugger, past the page's content security policy. */
export async function axe(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  const violations = (await page.evaluate(
    'axe.run(document, { resultTypes: ["violations"], preload: false, rules: { "target-size": { enabled: true } } }).then(found => found.violations)',
  )) as Violation[];
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(node => `${id}: ${node.target.join(' ')}: ${node.failureSummary}`),
  );
}

export async function screenshot(page: Page, name: string): Promise<void> {
  await mkdir(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
}

/** That the view which is shown has these notices, fits its width, folded and unfolded, and is accessible. */
export async function looksRight(page: Page, notices: number): Promise<void> {
  expect(await page.title()).toContain('Rust web frameworks');
  expect(await page.locator('main .notice').allTextContents()).toHaveLength(notices);
  expect(await sideways(page)).toBe(0);
  await unfold(page);
  expect(await sideways(page)).toBe(0);
  expect(await axe(page)).toEqual([]);
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = false;
  });
}

/** Opens what is folded away, and what is folded away in it: that may come later. */
async function unfold(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const folded = [...document.querySelectorAll<HTMLDetailsElement>('details:not([open])')];
    for (const details of folded) details.open = true;
    const built = [...document.querySelectorAll('.fold')].every(each => each.childElementCount > 1);
    return folded.length === 0 && built && document.querySelector('[aria-busy]') === null;
  });
}
