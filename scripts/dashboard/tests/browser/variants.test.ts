// The page of variants: what it lists, what it says is proven, and that it says so where nothing was measured.
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { history } from '../synthetic/generate';
import { axe, contextOf, DESKTOP, follow, type Look, open, setting, sideways, watch } from './harness';

const here = setting(() => history({ weeks: 8, lanes: 2 }));
const NARROW: Look = { width: 360, height: 780, dark: false };

let page: Page;
let close: () => Promise<void>;
async function begin(look: Look): Promise<void> {
  const context = await contextOf(here.chrome, look);
  page = await context.newPage();
  close = () => context.close();
}
beforeEach(() => begin(DESKTOP));
afterEach(() => close());

const question = (id: string) => page.locator(`#about-${id}`);
const texts = async (id: string) => (await question(id).locator('.worth-it').allTextContents()).join('\n');

describe('the variants', () => {
  it('are reached from the navigation, by the question that they answer', async () => {
    await open(page, here.pages.at('now?lane=hosted-x64'));
    await follow(page, '#/variants', () => page.getByRole('link', { name: 'Variants', exact: true }).first().click());
    expect(await page.locator('.question h2').allTextContents()).toEqual([
      'Allocator',
      'JSON library',
      'Runtime',
      'Instructions of the cpu',
      'Set-up',
    ]);
    expect(await question('allocator').locator('h3').allTextContents()).toEqual([
      'mimalloc ÷ default',
      'jemalloc ÷ default',
    ]);
    expect(await question('runtime').locator('h3').allTextContents()).toEqual(['io_uring ÷ default']);
    expect(await page.locator('.provenance a').allTextContents()).toEqual([
      'Without a database, 16 Nov 2026',
      'Variants, 13 Nov 2026',
    ]);
  });

  it('say for each app what is proven to be cheaper or costlier, and what is not told apart', async () => {
    await open(page, here.pages.at('variants?lane=hosted-x64'));
    expect(await texts('json')).toMatch(
      /Axum with sonic-rs is proven to be cheaper in routes-1, json-64k and validate, at 0\.\d+ to 0\.\d+×\./,
    );
    expect(await texts('json')).toMatch(/ntex with simd-json is proven to be costlier in /);
    expect(await texts('allocator')).toMatch(/with jemalloc is not told apart in /);
    expect(await texts('runtime')).toMatch(/^ntex with io_uring is proven to be cheaper in /);
    const lines = await page.locator('.worth .words').allTextContents();
    expect(lines.filter(text => text !== '').every(text => /^\d\.\d+× \(\d\.\d+ to \d\.\d+\), /.test(text))).toBe(true);
    for (const wanted of ['proven to be cheaper, by ranks', 'proven to be costlier, by ', 'not told apart'])
      expect(lines.some(text => text.includes(wanted))).toBe(true);
    // A driver is ranked among drivers: only intervals can prove what io_uring is worth.
    for (const text of await question('runtime').locator('.worth li .words').allTextContents())
      expect(text).not.toContain('by ranks');
    expect(await page.locator('.how').textContent()).toContain('the extremes that both intervals allow');
  });

  it('count what is proven as the lines do', async () => {
    await open(page, here.pages.at('variants?lane=hosted-x64'));
    const counts = (await page.locator('.tally b').allTextContents()).map(Number);
    const classes = ['good', 'bad', 'alike', 'unjudged'];
    const lines = await Promise.all(classes.map(each => page.locator(`.worth li.${each}`).count()));
    expect(counts).toEqual(lines);
  });

  it('of JSON stand beside the control where that is asked for, by keyboard', async () => {
    await open(page, here.pages.at('variants?lane=hosted-x64'));
    await page.locator('#against-default').focus();
    await follow(page, 'against=serde-json', () => page.keyboard.press('ArrowRight'));
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('against-serde-json');
    expect(await question('json').locator('h3').allTextContents()).toEqual([
      'serde-json ÷ default',
      'sonic-rs ÷ serde-json',
      'simd-json ÷ serde-json',
    ]);
    expect(await question('allocator').locator('h3').first().textContent()).toBe('mimalloc ÷ default');
  });

  it('can be looked at by another figure and one kind of work', async () => {
    await open(page, here.pages.at('variants?lane=hosted-x64'));
    await follow(page, 'scenario=json-64k', () => page.locator('select#scenario').selectOption('json-64k'));
    const names = await page.locator('.worth li .name').allTextContents();
    expect(names.length).toBeGreaterThan(0);
    expect(names.every(name => name.endsWith(', json-64k'))).toBe(true);
    // What the choice leaves out was measured all the same.
    expect(await question('set-up').textContent()).toContain('Not measured by this figure or in this kind of work');
    await follow(page, 'metric=rss_peak_bytes', () => page.locator('select#metric').selectOption('rss_peak_bytes'));
    expect(await page.locator('.tally').textContent()).toContain('proven to be better');
    expect(await page.locator('select#scenario').inputValue()).toBe('json-64k');
    expect(await page.locator('.lead').textContent()).toContain('takes less');
    await follow(page, 'metric=goodput_rps', () => page.locator('select#metric').selectOption('goodput_rps'));
    expect(await page.locator('.lead').textContent()).toContain('does more');
  });

  it('have a table with the same figures', async () => {
    await open(page, here.pages.at('variants?lane=hosted-x64&scenario=json-64k'));
    await page.locator('#figures > summary').click();
    const rows = page.locator('#figures tbody tr');
    await rows.first().waitFor();
    expect(await rows.count()).toBe(await page.locator('.worth li').count());
    expect(await rows.first().locator('th').textContent()).toBe('Axum, mimalloc: json-64k');
    const verdicts = await page.locator('#figures tbody td:last-child').allTextContents();
    expect(verdicts.some(text => /^proven to be (cheaper|costlier), by (ranks|intervals)$/.test(text))).toBe(true);
  });

  it('lead to the ranking of their run', async () => {
    await open(page, here.pages.at('variants?lane=hosted-x64'));
    await follow(page, '#/now', () => question('allocator').locator('.worth li a').first().click());
    expect(page.url()).toContain('variants');
    expect(await page.locator('.ranking .variant').count()).toBeGreaterThan(5);
  });

  it('say plainly what no run has measured yet', async () => {
    await open(page, here.pages.at('variants?lane=hosted-arm64'));
    for (const id of ['allocator', 'json', 'runtime'])
      expect(await question(id).textContent()).toContain('No run of this lane has measured this yet.');
    expect(await question('set-up').textContent()).not.toContain('No run of this lane');
    expect(await page.locator('main .notice').count()).toBe(0);
  });

  it('fit into 360 pixels, and axe has nothing to say', async () => {
    await close();
    await begin(NARROW);
    const faults = watch(page);
    await open(page, here.pages.at('variants?lane=hosted-x64'));
    await page.locator('#figures > summary').click();
    expect(await sideways(page)).toBe(0);
    expect(await axe(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});
