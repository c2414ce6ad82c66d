// Two years, three lanes, weekly: how much the first view transfers, and how long it and the chart of all frameworks take.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { history } from '../synthetic/generate';
import { contextOf, DESKTOP, open, type Site, setting } from './harness';

const FIRST_VIEW_BYTES = 300_000;
const FIRST_VIEW_MS = 1000;
const TREND_MS = 300;

const here = setting(() => history({ weeks: 104 }));

/** Bytes as they came over the wire, heads and compression included. */
async function counting(page: Page): Promise<() => number> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  return () => bytes;
}

const VISITS = 7;

/** The quickest of some visits: what the page itself takes. Whatever is above that, the machine was busy with. */
async function quickest(measure: () => Promise<number>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let visit = 0; visit < VISITS; visit++) best = Math.min(best, await measure());
  return best;
}

it('the first view is small and quick', async () => {
  let bytes = 0;
  const time = await quickest(async () => {
    const context = await contextOf(here.chrome, DESKTOP);
    const page = await context.newPage();
    const transferred = await counting(page);
    await open(page, here.pages.url);
    await page.waitForFunction(() => performance.getEntriesByName('view-shown').length > 0);
    const shown = await page.evaluate(() => performance.getEntriesByName('view-shown')[0]?.startTime ?? Number.NaN);
    bytes = transferred();
    await context.close();
    return shown;
  });
  console.log(`first view: ${(bytes / 1000).toFixed(1)} kB, shown after ${time.toFixed(0)} ms`);
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThan(FIRST_VIEW_BYTES);
  expect(time).toBeLessThan(FIRST_VIEW_MS);
});

/** Milliseconds of reading the files and drawing, without waiting for them. */
async function trend(base: Site, route: string): Promise<number> {
  const context = await contextOf(here.chrome, DESKTOP);
  const page = await context.newPage();
  await open(page, base.at(route));
  await page.waitForFunction(() => performance.getEntriesByName('trend-draw-end').length > 0);
  const took = await page.evaluate(() => {
    const at = (name: string) => performance.getEntriesByName(name)[0]?.startTime ?? Number.NaN;
    const parsing = performance.getEntriesByName('parse').reduce((sum, { duration }) => sum + duration, 0);
    return parsing + at('trend-draw-end') - at('trend-data-there');
  });
  await context.close();
  return took;
}

describe('a chart of all frameworks is quick', () => {
  it.each([
    ['over two years', 'trends?lane=hosted-x64&apps=all&range=all'],
    ['over a year of weeks, with intervals', 'trends?lane=hosted-x64&apps=all&range=1y&bands=on'],
  ])('%s', async (name, route) => {
    const time = await quickest(() => trend(here.pages, route));
    console.log(`trend of all frameworks ${name}: ${time.toFixed(0)} ms after its data is there`);
    expect(time).toBeLessThan(TREND_MS);
  });
});
