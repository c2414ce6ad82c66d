// The page of widths: curves with their intervals, the same figures as a table, and that it says so where nothing was measured.
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { history } from '../synthetic/generate';
import { axe, contextOf, DESKTOP, follow, type Look, open, screenshot, setting, sideways, watch } from './harness';

const here = setting(() => history({ weeks: 2 }));
const NARROW: Look = { width: 360, height: 780, dark: false };
const VIEW = 'scaling?lane=self-hosted';

let page: Page;
let close: () => Promise<void>;
async function begin(look: Look): Promise<void> {
  const context = await contextOf(here.chrome, look);
  page = await context.newPage();
  close = () => context.close();
}
beforeEach(() => begin(DESKTOP));
afterEach(() => close());

const keys = () => page.locator('.keys li').allTextContents();

describe('the widths', () => {
  it('are reached from the navigation, and show the reference and the first three', async () => {
    await open(page, here.pages.at('now?lane=self-hosted'));
    await follow(page, '#/scaling', () => page.getByRole('link', { name: 'Scaling', exact: true }).first().click());
    expect((await keys()).slice(0, 2)).toEqual(['Reference', 'Ohkami']);
    expect(await keys()).toHaveLength(4);
    const chart = page.locator('.speed-ups');
    // Four widths beside one worker, of each line.
    expect(await chart.locator('circle').count()).toBe(16);
    expect(await chart.locator('.spread').count()).toBe(16);
    expect(await chart.locator('.ideal').count()).toBe(1);
    expect(await chart.locator('circle.shared').count()).toBe(4);
    expect(await chart.locator('.along').allTextContents()).toEqual(['1', '2', '4', '8', '16']);
    expect(await chart.locator('title').first().textContent()).toMatch(
      /^Reference, 2 workers: [\d.]+× \([\d.]+ to [\d.]+\)$/,
    );
    expect(await page.locator('.reading').textContent()).toContain('share the 8 cores');
  });

  it('lie below the ideal line, the more the more is lost', async () => {
    await open(page, here.pages.at(`${VIEW}&curves=reference,rocket`));
    const heights = await page
      .locator('.speed-ups .curve')
      .evaluateAll(curves => curves.map(curve => curve.querySelectorAll('circle')[2]?.getBoundingClientRect().y ?? 0));
    const ideal = await page.locator('.speed-ups .ideal').evaluate(line => line.getBoundingClientRect().y);
    expect(heights[1]).toBeGreaterThan((heights[0] ?? 0) + 20);
    expect(heights[0]).toBeGreaterThan(ideal);
  });

  it('that the load generator limits are left out, with the reason', async () => {
    await open(page, here.pages.at(`${VIEW}&curves=ceiling,may-minihttp`));
    const reasons = (await page.locator('.reasons').allTextContents()).join('\n');
    expect(reasons).toContain('with 1, 2, 4, 8, 16 workers: Ceiling');
    expect(reasons).toMatch(/with 8, 16 workers: .*may_minihttp/);
    expect(reasons).toContain('with 4 workers: Astra');
    expect(await page.locator('.speed-ups circle').count()).toBe(2);
    expect(await page.locator('.keys .untrusted').allTextContents()).toEqual(['Ceiling']);
    expect(await page.locator('main').textContent()).toContain('nothing: what one worker reached is not trusted');
  });

  it('have a table with the same figures, and one of the laws', async () => {
    await open(page, here.pages.at(VIEW));
    await page.locator('#figures > summary').click();
    const tables = page.locator('#figures table');
    await tables.first().waitFor();
    const row = (table: number, server: string) =>
      tables
        .nth(table)
        .locator('tbody tr', { has: page.getByRole('rowheader', { name: server, exact: true }) })
        .locator('td')
        .allTextContents();
    const reference = await row(0, 'Reference');
    expect(reference[0]).toBe('1×');
    expect(await page.locator('.speed-ups title').first().textContent()).toBe(`Reference, 2 workers: ${reference[1]}`);
    expect(await row(0, 'Ceiling')).toEqual(Array(5).fill('client-bound'));
    expect((await row(0, 'Astra'))[2]).toBe('crashed');
    expect(await row(1, 'Ceiling')).not.toContain('–');
    expect((await row(2, 'Ceiling'))[1]).toMatch(/^[\d.]+, 1\.02× \([\d.]+ to [\d.]+\)$/);
    const law = page.locator('tbody tr', { has: page.getByRole('rowheader', { name: 'Rocket', exact: true }) }).last();
    expect(await law.locator('td').allTextContents()).toEqual([
      '0.120 (0.108 to 0.132)',
      '0.0100 (0.00940 to 0.0106)',
      '1, 2, 4, 8 workers',
    ]);
  });

  it('are chosen by keyboard, and by kind of work', async () => {
    await open(page, here.pages.at(VIEW));
    await page.locator('#curve-rocket').focus();
    await follow(page, 'rocket', () => page.keyboard.press('Space'));
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('curve-rocket');
    expect(await keys()).toContain('Rocket');
    await follow(page, 'scenario=simple', () => page.locator('select#scenario').selectOption('simple'));
    expect(await page.locator('select#scenario').inputValue()).toBe('simple');
    expect(await keys()).toContain('Rocket');
    await follow(page, 'curves=best', () => page.locator('#curves-best').press('Enter'));
    expect(await keys()).toHaveLength(4);
  });

  it('say plainly where no run has compared them, without asking for a file that is not there', async () => {
    const faults = watch(page);
    await open(page, here.pages.at('scaling?lane=hosted-arm64'));
    expect(await page.locator('main .notice').textContent()).toBe('No run of this lane has compared widths yet.');
    expect(faults).toEqual([]);
  });

  it('are told apart by their names among the kinds of work', async () => {
    await open(page, here.pages.at('now?lane=self-hosted:scaling'));
    expect(await page.locator('.scenarios .title').allTextContents()).toContain(
      'The cost of the framework alone: 4 workers',
    );
  });

  it.each([NARROW, { ...NARROW, dark: true }, DESKTOP])('fit into %o, and axe has nothing to say', async look => {
    await close();
    await begin(look);
    const faults = watch(page);
    await open(page, here.pages.at(`${VIEW}&curves=reference,ohkami,axum,rocket,hyper`));
    await screenshot(page, `scaling-curves-${look.width}${look.dark ? '-dark' : ''}`);
    await page.locator('#figures > summary').click();
    expect(await sideways(page)).toBe(0);
    expect(await axe(page)).toEqual([]);
    expect(faults).toEqual([]);
    await screenshot(page, `scaling-${look.width}${look.dark ? '-dark' : ''}`);
  });
});
