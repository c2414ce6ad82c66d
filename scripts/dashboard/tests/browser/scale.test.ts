// Two years, three lanes, weekly: how much the first view transfers, and how long it and the chart of all frameworks take.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { history } from '../synthetic/generate';
import { contextOf, DESKTOP, open, PHONE, type Site, setting } from './harness';

const FIRST_VIEW_BYTES = 300_000;
const FIRST_VIEW_REQUESTS = 12;
const TREND_MS = 300;

const here = setting(() => history({ weeks: 104 }));

interface Transferred {
  requests: number;
  /** As they came over the wire, heads and compression included. */
  bytes: number;
}

/** Makes it a phone, as Lighthouse simulates one: 1.6 Mb/s, 150 ms until a request is answered, a quarter of the cpu. Nothing is cached. */
async function onPhone(page: Page): Promise<Transferred> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  const throughput = { downloadThroughput: 1.6e6 / 8, uploadThroughput: 0.75e6 / 8 };
  await session.send('Network.emulateNetworkConditions', { offline: false, latency: 150, ...throughput });
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  const transferred = { requests: 0, bytes: 0 };
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    if (encodedDataLength > 0) transferred.requests++; // what lies in the page itself takes none
    transferred.bytes += encodedDataLength;
  });
  return transferred;
}

const VISITS = 7;

/** The quickest of some visits: what the page itself takes. Whatever is above that, the machine was busy with. */
async function quickest(measure: () => Promise<number>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let visit = 0; visit < VISITS; visit++) best = Math.min(best, await measure());
  return best;
}

describe('a first view is small, and quick on a phone', () => {
  it.each([
    ['the start page', '', 1500],
    ['a comparison', 'compare', 2500],
    ['a framework', 'framework/axum', 2500],
    ['a trend', 'trends', 3500],
  ])('%s', async (name, route, limit) => {
    let transferred: Transferred = { requests: 0, bytes: 0 };
    const time = await quickest(async () => {
      const context = await contextOf(here.chrome, PHONE);
      const page = await context.newPage();
      transferred = await onPhone(page);
      await open(page, here.pages.at(route));
      await page.waitForFunction(() => performance.getEntriesByName('view-shown').length > 0);
      const shown = await page.evaluate(() => performance.getEntriesByName('view-shown')[0]?.startTime ?? Number.NaN);
      await page.waitForLoadState('networkidle');
      await context.close();
      return shown;
    });
    const { requests, bytes } = transferred;
    console.log(`${name}: ${requests} requests, ${(bytes / 1000).toFixed(1)} kB, shown after ${time.toFixed(0)} ms`);
    expect(requests).toBeLessThan(FIRST_VIEW_REQUESTS);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(FIRST_VIEW_BYTES);
    expect(time).toBeLessThan(limit);
  });
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
