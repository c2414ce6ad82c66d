// A change of a lane's runner: a mark on the chart of trends, and an entry of News that says that figures begin again.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { history } from '../synthetic/generate';
import { contextOf, DESKTOP, open, screenshot, setting, watch } from './harness';

const here = setting(() => history());

const BEGUN_AGAIN = 'New runner, on which every figure begins again: ubuntu-24.04 → ubuntu-26.04';

/** The tip at the mark of a runner: above all figures, wherever the pointer meets it. */
async function tipOf(page: Page, text: string): Promise<string> {
  const box = await page.locator('.u-over').boundingBox();
  if (box === null) throw new Error('no chart');
  for (let x = box.width - 2; x > 0; x -= 4) {
    await page.mouse.move(box.x + x, box.y + 6);
    const tip = page.locator('.tip');
    const content = (await tip.isVisible()) ? ((await tip.textContent()) ?? '') : '';
    if (content.includes(text)) return content;
  }
  return '';
}

it('is marked and listed', async () => {
  const context = await contextOf(here.chrome, DESKTOP);
  const page = await context.newPage();
  const faults = watch(page);
  await open(page, here.pages.at('trends?lane=hosted-x64&range=3m'));

  expect(await tipOf(page, BEGUN_AGAIN)).toContain(BEGUN_AGAIN);
  await screenshot(page, 'runner-begun-again');
  await open(page, here.pages.at('news?lane=hosted-x64'));
  expect(await page.locator('main').textContent()).toContain(BEGUN_AGAIN);
  expect(faults).toEqual([]);
  await context.close();
});

it('is not marked where no runner changed', async () => {
  const context = await contextOf(here.chrome, DESKTOP);
  const page = await context.newPage();
  await open(page, here.pages.at('trends?lane=hosted-x64&from=2024-01-01&to=2024-06-01'));
  expect(await tipOf(page, 'ubuntu-26.04')).toBe('');
  await context.close();
});
