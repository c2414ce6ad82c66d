// The curves of latency: there where a rate is fixed and nowhere else, a few lines and those that the reader picks, and no record is read
// for a view that does not show it.
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { history } from '../synthetic/generate';
import { axe, contextOf, DESKTOP, follow, type Look, open, setting, sideways, watch } from './harness';

const here = setting(() => history({ weeks: 8, lanes: 1 }));
const OPEN = 'now?lane=hosted-x64&scenario=hello-r1000';
const NARROW: Look = { width: 360, height: 780, dark: true };

let page: Page;
let close: () => Promise<void>;
async function begin(look: Look): Promise<void> {
  const context = await contextOf(here.chrome, look);
  page = await context.newPage();
  close = () => context.close();
}
beforeEach(() => begin(DESKTOP));
afterEach(() => close());

/** Paths of records that the page has read. */
function records(): string[] {
  const read: string[] = [];
  page.on('request', request => {
    const [, name] = /\/data\/[a-z0-9-]+\/(\d{8}T[^/]+)\.json$/.exec(request.url()) ?? [];
    if (name !== undefined) read.push(name);
  });
  return read;
}

const drawn = () => page.locator('.keys li').allTextContents();

describe('a closed loop', () => {
  it('has no curve, and no record is read for it', async () => {
    const read = records();
    await open(page, here.pages.at('now?lane=hosted-x64&scenario=hello&metric=latency_p99_ms'));
    await page.waitForFunction(() => performance.getEntriesByName('sparks-drawn').length > 0);
    expect(await page.locator('.spread-of-latency, .percentiles').count()).toBe(0);
    expect(await page.locator('.reading').first().textContent()).toContain(
      'In a closed loop latency is the length of the queue, not the speed of the server: there is no curve of it.',
    );
    expect(read).toEqual([]);
  });
});

describe('a fixed rate', () => {
  it('has the curves of the reference and the first three, and a table of the same', async () => {
    const read = records();
    await open(page, here.pages.at(OPEN));
    await page.waitForSelector('.percentiles');
    expect(read).toHaveLength(1);
    const names = await drawn();
    expect(names).toHaveLength(4);
    expect(names[0]).toBe('Reference');
    expect(await page.locator('.curve').count()).toBe(4);
    expect(await page.locator('.curve circle').count()).toBe(4 * 5);
    expect(await page.locator('.curve .spread').count()).toBe(4 * 5);
    await page.locator('#percentiles > summary').click();
    const table = page.locator('#percentiles table');
    expect(await table.locator('thead th').allTextContents()).toEqual([
      'Framework',
      'p50',
      'p90',
      'p95',
      'p99',
      'p99.9',
      'Rounds',
      'Verdict',
    ]);
    expect(await table.locator('tbody th').allTextContents()).toEqual(names);
    expect(await table.locator('tbody td').first().textContent()).toMatch(/^0\.\d+ \(0\.\d+ to 0\.\d+\)$/);
  });

  it('says what the figures are of', async () => {
    await open(page, here.pages.at(OPEN));
    const said = page.locator('.spread-of-latency .reading');
    await said.waitFor();
    const text = (await said.textContent()) ?? '';
    expect(text).toContain('asked 1,000 times a second');
    expect(text).toContain('of 6 rounds, that holds the true median with 96.9\u00a0%');
    expect(text).toContain('about 500 requests at a time, so p99.9 is the slowest of them');
  });

  it('rises from each percentile to the next', async () => {
    await open(page, here.pages.at(`${OPEN}&curves=axum`));
    const places = await page
      .locator('.curve circle')
      .evaluateAll(all =>
        all.map(each => [
          Number.parseFloat(`${each.getAttribute('cx')}`),
          Number.parseFloat(`${each.getAttribute('cy')}`),
        ]),
      );
    const [across, down] = [places.map(([x]) => x as number), places.map(([, y]) => y as number)];
    expect(across).toEqual([...across].sort((a, b) => a - b));
    expect(down).toEqual([...down].sort((a, b) => b - a));
    expect([across[0], across.at(-1)]).toEqual([0, 100]);
  });

  it('adds and drops lines by keyboard, keeps the focus, and Back undoes it', async () => {
    await open(page, here.pages.at(OPEN));
    await page.waitForSelector('#curve-rocket');
    const before = await drawn();
    await page.locator('#curve-rocket').focus();
    await follow(page, 'rocket', () => page.keyboard.press('Space'));
    expect(await drawn()).toEqual([...before, 'Rocket']);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('curve-rocket');
    await follow(page, 'curves=', () => page.keyboard.press('Space'));
    expect(await drawn()).toEqual(before);
    await page.goBack();
    await page.waitForFunction(() => (document.querySelector('#curve-rocket') as HTMLInputElement)?.checked);
    await page.locator('#curves-best').focus();
    await follow(page, 'curves=best', () => page.keyboard.press('Enter'));
    expect(await drawn()).toEqual(before);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('curves-best');
  });

  it('takes no more lines than can be told apart', async () => {
    const eight = ['reference', 'ohkami', 'axum', 'warp', 'viz', 'ntex', 'poem', 'salvo'];
    await open(page, here.pages.at(`${OPEN}&curves=${eight.join(',')}`));
    expect(await page.locator('.curve').count()).toBe(8);
    expect(await page.locator('#curve-rocket').isDisabled()).toBe(true);
    expect(await page.locator('#curve-axum').isDisabled()).toBe(false);
    await follow(page, 'curves=', () => page.locator('#curve-axum').press('Space'));
    expect(await page.locator('#curve-rocket').isDisabled()).toBe(false);
  });

  it('is grey with the reason where it is not trusted, and says whom it does not have', async () => {
    await open(page, here.pages.at(`${OPEN}&curves=axum,tide,astra`));
    expect(await page.locator('.curve').count()).toBe(2);
    expect(await page.locator('.curve.untrusted').count()).toBe(1);
    const grey = await page
      .locator('.curve.untrusted .step')
      .first()
      .evaluate(line => getComputedStyle(line).stroke);
    const plain = await page
      .locator('.curve:not(.untrusted) .step')
      .first()
      .evaluate(line => getComputedStyle(line).stroke);
    expect(grey).not.toBe(plain);
    const reasons = (await page.locator('.spread-of-latency .reasons').allTextContents()).join(' ');
    expect(reasons).toContain('Grey, because not trusted: Tide (client-bound');
    expect(reasons).toContain('Without percentiles: Astra (contract failed');
    // They come last in the ranking, and not by themselves among the first few.
    await open(page, here.pages.at(OPEN));
    await page.waitForSelector('.percentiles');
    expect(await drawn()).not.toContain('Tide');
  });

  it('says so where the record is not there', async () => {
    // The history keeps the records of the newest three runs.
    await open(page, here.pages.at(`${OPEN}&run=20261026T041700Z-43c`));
    const section = page.locator('.spread-of-latency');
    await section.getByText('The record of this run is not published here').waitFor();
    expect(await section.locator('.percentiles').count()).toBe(0);
    expect(await page.locator('.ranking').count()).toBe(1);
  });

  it('has no line where none is chosen', async () => {
    await open(page, here.pages.at(`${OPEN}&curves=none`));
    expect(await page.locator('.percentiles').count()).toBe(0);
    expect(await page.locator('.spread-of-latency').textContent()).toContain('Nothing is chosen that has percentiles.');
  });

  it('fits into 360 pixels, and axe has nothing to say', async () => {
    await close();
    await begin(NARROW);
    const faults = watch(page);
    await open(page, here.pages.at(`${OPEN}&curves=reference,ohkami,axum,tide,astra`));
    await page.locator('#percentiles > summary').click();
    expect(await sideways(page)).toBe(0);
    // The labels of the axis are inside of its frame.
    const beyond = await page.locator('.percentiles').evaluate(frame => {
      const { left, right } = frame.getBoundingClientRect();
      return [...frame.querySelectorAll('span')].filter(label => {
        const box = label.getBoundingClientRect();
        return box.left < left || box.right > right;
      }).length;
    });
    expect(beyond).toBe(0);
    expect(await axe(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});

describe('the page of a framework', () => {
  it('reads the record when the curves are unfolded, and has its variants beside the reference', async () => {
    const read = records();
    await open(page, here.pages.at('framework/axum?lane=hosted-x64'));
    expect(read).toEqual([]);
    await page.locator('#latency > summary').press('Enter');
    await page.waitForSelector('.percentiles');
    expect(read).toHaveLength(1);
    expect(await drawn()).toEqual(['Reference', 'Axum', 'Axum, current-thread']);
  });
  it('has none where no rate was fixed', async () => {
    await open(page, here.pages.at('framework/axum-services?lane=hosted-x64:services'));
    expect(await page.locator('h1').textContent()).toBe('Axum');
    expect(await page.locator('#latency').count()).toBe(0);
  });
});
