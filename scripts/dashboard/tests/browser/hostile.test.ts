// Data that means harm, or is cut off: nothing runs, nothing throws, markup is text, and what is missing is explained.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { hostile, MANY_RUNS } from '../synthetic/hostile';
import { contextOf, DESKTOP, follow, onePage, open, PHONE, setting, sideways, site } from './harness';
import { NEWEST } from './routes';

const here = setting(() => hostile());

const VIEWS = [
  'now',
  'now?scenario=hello-r1000&curves=ohkami,actix-web,xitca-web,warp,thruster,axum,reference',
  'variants',
  'scaling',
  'trends',
  'compare',
  'compare?of=runs',
  'framework',
  'framework/axum',
  'framework/viz',
  'run',
  `run/${NEWEST}`,
  'method',
];
/** These are the same in every lane. */
const OF_NO_LANE = ['breaks', 'breaks/ohkami', 'breaks/ohkami?case=pipelined-three', 'breaks?case=host-missing'];
const LANES = ['hosted-x64', 'many', 'future', 'missing', 'broken', 'empty', '../../etc', 'nowhere'];

/** Faults of the page itself: that a file is missing may be said on the console. */
function watched(page: Page): string[] {
  const faults: string[] = [];
  page.on('pageerror', error => faults.push(error.message));
  page.on('dialog', dialog => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return faults;
}

async function unharmed(page: Page, faults: string[]): Promise<void> {
  expect(faults.splice(0)).toEqual([]);
  expect(await page.evaluate(() => (window as { __pwned?: unknown }).__pwned)).toBeUndefined();
  expect(await page.locator('main img, main script, main iframe, main [onerror]').count()).toBe(0);
  expect(await page.locator('a[href^="javascript:"]').count()).toBe(0);
  expect(await page.locator('h1').textContent()).not.toBe('This view could not be shown');
}

/** In a page of its own. */
async function visit(address: string, look = DESKTOP): Promise<{ page: Page; close: () => Promise<void> }> {
  const context = await contextOf(here.chrome, look);
  const page = await context.newPage();
  const faults = watched(page);
  await open(page, address);
  await unharmed(page, faults);
  return { page, close: () => context.close() };
}

describe.each(LANES)('lane %s', lane => {
  const page = onePage(() => contextOf(here.chrome, DESKTOP));
  let faults: string[] = [];
  beforeAll(() => {
    faults = watched(page());
  });
  it.each(lane === 'hosted-x64' ? [...VIEWS, ...OF_NO_LANE] : VIEWS)('%s', async view => {
    const route = `${view}${view.includes('?') ? '&' : '?'}lane=${encodeURIComponent(lane)}`;
    await open(page(), here.pages.at(route));
    await unharmed(page(), faults);
    expect((await page().locator('main').innerText()).trim().length).toBeGreaterThan(10);
  });
});

const MARKUP = '<img src=x onerror=';

describe('markup', () => {
  it.each([
    ['a title, a name, a machine', 'now?lane=hosted-x64'],
    ['a cause', 'trends?lane=hosted-x64&range=3m'],
    ['a known fault', 'framework/viz?lane=hosted-x64'],
    ['a warning, a trial', `run/${NEWEST}?lane=hosted-x64`],
    ['a name beside a line', 'now?lane=hosted-x64&scenario=hello-r1000&curves=ohkami,axum,reference'],
    ['a variant', 'variants?lane=hosted-x64'],
    ['a server at several widths', 'scaling?lane=self-hosted'],
    ['a case, a cause', 'breaks?lane=hosted-x64'],
    ['bytes', 'breaks/ohkami?lane=hosted-x64&case=pipelined-three'],
    ['the address itself', `framework/${encodeURIComponent(`${MARKUP}"window.__pwned=1">`)}?lane=hosted-x64`],
  ])('in %s is text', async (_, route) => {
    const { page, close } = await visit(here.pages.at(route));
    expect(await page.locator('main').innerText()).toContain(MARKUP);
    await close();
  });
  it('in the search is text', async () => {
    const { page, close } = await visit(here.pages.at('method?lane=hosted-x64'));
    await page.keyboard.press('/');
    await page.keyboard.type('img');
    await page.waitForSelector('#search-results [role=option]');
    expect(await page.locator('#search-results').innerText()).toContain(MARKUP);
    expect(await page.evaluate(() => (window as { __pwned?: unknown }).__pwned)).toBeUndefined();
    await close();
  });
  it('does not widen a phone', async () => {
    const { page, close } = await visit(here.pages.at('now?lane=hosted-x64'), PHONE);
    expect(await sideways(page)).toBe(0);
    await close();
  });
});

describe('what is not understood is said', () => {
  it.each([
    ['now?lane=hosted-x64', 'Left out of the data'],
    ['now?lane=hosted-x64', 'abducted (a verdict that this page does not know)'],
    ['now?lane=hosted-x64&scenario=hello', 'schema_version 99'],
    ['now?lane=hosted-x64&scenario=simple', 'is not JSON'],
    ['now?lane=hosted-x64&scenario=bcrypt', 'is not there'],
    ['now?lane=future', 'schema_version 99'],
    ['now?lane=broken', 'is not JSON'],
    ['now?lane=missing', 'is not there'],
    ['now?lane=empty', 'no runs yet'],
    ['variants?lane=empty', 'No run of this lane has measured a variant yet'],
    ['variants?lane=future', 'No run of this lane has measured a variant yet'],
    ['scaling?lane=empty', 'No run of this lane has compared widths yet'],
    ['scaling?lane=hosted-x64', 'has schema_version 99'],
    ['run/nothing?lane=hosted-x64', 'No such run'],
    ['framework/unheard-of?lane=hosted-x64', 'not among'],
    ['breaks/unheard-of?lane=hosted-x64', 'not among'],
    ['breaks?lane=hosted-x64', 'Left out of the data'],
  ])('%s: %s', async (route, text) => {
    const { page, close } = await visit(here.pages.at(route));
    expect(await page.locator('main').innerText()).toContain(text);
    await close();
  });
});

it('shows ten thousand runs a page at a time', async () => {
  const { page, close } = await visit(here.pages.at('run?lane=many'));
  expect(await page.locator('main').innerText()).toContain(`of ${MANY_RUNS.toLocaleString('en')}`);
  const runs = page.locator('table', { hasText: 'Runs of' });
  expect(await runs.locator('tbody tr').count()).toBe(50);
  await follow(page, 'page=200', () => page.locator('#runs-last').press('Enter'));
  await close();
});

describe('an index that', () => {
  it.each([
    ['is missing', undefined, 'is not there'],
    ['is broken', '{"schema_version": 2,', 'is not JSON'],
    ['is too new', { schema_version: 99, lanes: {} }, 'schema_version 99'],
    ['is empty', { schema_version: 2, lanes: {} }, 'names no lane'],
    ['is a list', [], 'not the object'],
  ])('%s', async (_, content, text) => {
    const other = await site(
      new Map<string, unknown>([
        ['feed.xml', ''],
        ...(content === undefined ? [] : [['data/index.json', content] as const]),
      ]),
    );
    const { page, close } = await visit(other.at('now'));
    expect(await page.locator('main').innerText()).toContain(text);
    await close();
    await other.close();
  });
});
