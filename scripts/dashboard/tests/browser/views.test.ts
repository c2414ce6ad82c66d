// Every view, in both themes and on a phone: it is there, silent, within its width, and axe has nothing serious to say.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { history } from '../synthetic/generate';
import {
  axe,
  contextOf,
  DESKTOP,
  follow,
  type Look,
  onePage,
  open,
  PHONE,
  screenshot,
  setting,
  sideways,
  watch,
} from './harness';
import { BEFORE, NEWEST, ROUTES } from './routes';

const here = setting(() => history());

const LOOKS: [string, Look][] = [
  ['desktop-light', DESKTOP],
  ['desktop-dark', { ...DESKTOP, dark: true }],
  ['phone-light', PHONE],
  ['phone-dark', { ...PHONE, dark: true }],
];

/** The warnings of a run's machine, or that it is partial. */
const NOTICES: Record<string, number> = { run: 1, 'run-partial': 2 };

// The views of a look follow each other in one page, as a reader goes from one to the next.
describe.each(LOOKS)('%s', (look, size) => {
  const page = onePage(() => contextOf(here.chrome, size));
  let faults: string[] = [];
  beforeAll(() => {
    faults = watch(page());
  });
  it.each(ROUTES)('%s', async (name, route) => {
    await visit(page(), here.pages.at(route), NOTICES[name] ?? 0);
    await screenshot(page(), `${name}-${look}`);
    expect(faults.splice(0)).toEqual([]);
  });
});

async function visit(page: Page, address: string, notices: number): Promise<void> {
  await open(page, address);
  expect(await page.title()).toContain('Rust web frameworks');
  expect(
    await page.locator('main .notice').count(),
    await page.locator('main .notice').allTextContents().then(String),
  ).toBe(notices);
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

it('prints the figures without the controls', async () => {
  const context = await contextOf(here.chrome, { ...DESKTOP, width: 794, dark: true });
  const page = await context.newPage();
  await open(page, here.pages.at('now?lane=hosted-x64'));
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  expect(await page.locator('.top').isVisible()).toBe(false);
  expect(await page.locator('.controls').isVisible()).toBe(false);
  expect(await page.locator('.ranking').isVisible()).toBe(true);
  expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe('rgb(255, 255, 255)');
  expect(await sideways(page)).toBe(0);
  await screenshot(page, 'now-print');
  await context.close();
});

it('compares two frameworks in the run that is chosen', async () => {
  const context = await contextOf(here.chrome, DESKTOP);
  const page = await context.newPage();
  const shown = () => page.locator('.provenance a').getAttribute('href');
  await open(page, here.pages.at(`compare?lane=hosted-x64&run=${BEFORE}`));
  expect(await shown()).toContain(BEFORE);
  await page.locator('select#run').selectOption(NEWEST);
  await page.waitForFunction(id => document.querySelector('.provenance a')?.getAttribute('href')?.includes(id), NEWEST);
  await open(page, here.pages.at('compare?lane=hosted-x64&run=20000101T000000Z-1'));
  expect(await page.locator('main .notice').textContent()).toContain('20000101T000000Z-1');
  await context.close();
});

/** The kinds of servers that a ranking shows, in their order. */
const groups = (page: Page) => page.locator('.ranking h3').allTextContents();

it('shows figures of each kind of run, whichever was made last', async () => {
  const context = await contextOf(here.chrome, DESKTOP);
  const page = await context.newPage();
  await open(page, here.pages.at('now?lane=hosted-x64'));
  for (const [kind, leads, shown] of [
    ['With a database', 'Ohkami', ['Frameworks', 'Engines, no framework', 'Frameworks with a driver of their own']],
    ['Drivers', 'Axum, tokio-postgres', ['Drivers']],
  ] as const) {
    await follow(page, 'lane=', () => page.getByRole('link', { name: kind }).click());
    expect(await page.locator('h1').textContent()).toBe('One row of a database by its key');
    expect(await page.locator('.stands-for').textContent()).toBe('What One row of a database by its key stands for.');
    expect(await page.locator('main .notice').count()).toBe(0);
    expect(await page.locator('.headline').textContent()).toContain(leads);
    expect(await groups(page)).toEqual([...shown, 'To compare with']);
    // What a link from another kind of run asked for can be undone.
    await open(page, `${page.url()}&kinds=legacy`);
    expect(await page.locator('main .notice').count()).toBe(1);
    expect(await page.locator('.checks input').count()).toBe(shown.length);
    await open(page, page.url().replace('&kinds=legacy', ''));
  }
  await follow(page, 'compare', () => page.getByRole('link', { name: 'Compare' }).click());
  expect(await page.locator('select#left option').allTextContents()).toContain('Axum, SeaORM');
  await follow(page, 'left=axum-sea-orm', () => page.locator('select#left').selectOption({ label: 'Axum, SeaORM' }));
  await follow(page, 'right=axum-tokio-postgres', () =>
    page.locator('select#right').selectOption({ label: 'Axum, tokio-postgres' }),
  );
  const db = page.locator('.difference', { hasText: 'One row of a database by its key' }).first();
  expect(await db.textContent()).toContain('proven to be ahead: rank 1 against 4');
  await context.close();
});

it('leads to the charts of github-action-benchmark and the feed', async () => {
  const context = await contextOf(here.chrome, DESKTOP);
  const page = await context.newPage();
  await open(page, here.pages.at('now?lane=hosted-arm64'));
  for (const name of ['Charts by github-action-benchmark', 'Feed of confirmed changes', 'Data as JSON', 'Licences']) {
    const address = await page.getByRole('link', { name }).evaluate(link => (link as HTMLAnchorElement).href);
    expect((await page.request.get(address)).status(), address).toBe(200);
  }
  await context.close();
});

it.each([1520, 1519, 1280, 1279, 1180, 1000, 700])('has a header that fits at a width of %i', async width => {
  const context = await contextOf(here.chrome, { ...DESKTOP, width });
  const page = await context.newPage();
  // The lane with the longest name.
  await open(page, here.pages.at('method?lane=hosted-x64:database'));
  const hidden = await page.locator('.top').evaluate(top => top.scrollWidth - top.clientWidth);
  expect([await sideways(page), hidden]).toEqual([0, 0]);
  await context.close();
});
