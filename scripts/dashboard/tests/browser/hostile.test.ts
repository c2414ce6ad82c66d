// Data that means harm, in a real browser: nothing runs, nothing throws, and nothing widens a phone.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { hostile, MANY_RUNS } from '../synthetic/hostile';
import { contextOf, DESKTOP, follow, onePage, open, PHONE, setting, sideways } from './harness';
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
/** What the other lanes lack is seen without a browser: `tests/page`. */
const LANES = ['hosted-x64', 'many'];

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

describe.each(LANES)('lane %s', lane => {
  const page = onePage(() => contextOf(here.chrome, PHONE));
  let faults: string[] = [];
  beforeAll(() => {
    faults = watched(page());
  });
  it.each(lane === 'many' ? VIEWS : [...VIEWS, ...OF_NO_LANE])('%s', async view => {
    await open(page(), here.pages.at(`${view}${view.includes('?') ? '&' : '?'}lane=${lane}`));
    await unharmed(page(), faults);
    expect(await sideways(page())).toBe(0);
  });
});

it('shows ten thousand runs a page at a time', async () => {
  const context = await contextOf(here.chrome, DESKTOP);
  const page = await context.newPage();
  await open(page, here.pages.at('run?lane=many'));
  expect(await page.locator('main').innerText()).toContain(`of ${MANY_RUNS.toLocaleString('en')}`);
  const runs = page.locator('table', { hasText: 'Runs of' });
  expect(await runs.locator('tbody tr').count()).toBe(50);
  await follow(page, 'page=200', () => page.locator('#runs-last').press('Enter'));
  await context.close();
});
