// Everything by keyboard: Tab reaches every control and shows where it is, `/` searches, Escape leaves, the address keeps all.
import type { BrowserContext, Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { history } from '../synthetic/generate';
import { contextOf, DESKTOP, follow, open, setting } from './harness';
import { ROUTES } from './routes';

const here = setting(() => history({ weeks: 60, lanes: 2 }));
let context: BrowserContext;
let page: Page;
beforeEach(async () => {
  context = await contextOf(here.chrome, DESKTOP);
  page = await context.newPage();
});
afterEach(() => context.close());

/** Numbers every control that Tab should reach; of radio buttons that belong together, one is enough. */
function numberControls(): number {
  const groups = new Set<string>();
  let number = 0;
  for (const element of document.querySelectorAll<HTMLElement>(
    'a[href], button, input, select, summary, [tabindex="0"]',
  )) {
    const disabled = 'disabled' in element && element.disabled === true;
    if (disabled || !element.checkVisibility({ visibilityProperty: true })) continue;
    if (element instanceof HTMLInputElement && element.type === 'radio') {
      if (groups.has(element.name)) continue;
      groups.add(element.name);
      for (const other of document.querySelectorAll<HTMLInputElement>(`input[name="${element.name}"]`))
        other.dataset.control = String(number);
    }
    element.dataset.control = String(number);
    number += 1;
  }
  return number;
}

/** Which control has the focus, and whether that can be seen: on the control itself or on its label. */
function focused(): { control: string; visible: boolean } {
  const element = document.activeElement as HTMLElement;
  const drawn = [element, element.nextElementSibling].filter(each => each !== null);
  const visible = drawn.some(each => {
    const { outlineStyle, outlineWidth } = getComputedStyle(each);
    return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0;
  });
  return { control: element.dataset.control ?? '', visible };
}

describe('Tab reaches every control and shows it', () => {
  it.each(ROUTES.filter(([, route]) => !route.includes('self-hosted')))('in %s', async (_, route) => {
    await open(page, here.pages.at(route));
    const controls = await page.evaluate(numberControls);
    expect(controls).toBeGreaterThan(8);
    const reached = new Set<string>();
    const unseen: string[] = [];
    for (let press = 0; press < controls + 5; press += 1) {
      await page.keyboard.press('Tab');
      const { control, visible } = await page.evaluate(focused);
      reached.add(control);
      if (!visible && control !== '') unseen.push(control);
    }
    const missed = [...Array(controls).keys()].map(String).filter(control => !reached.has(control));
    const names = await page.evaluate(
      list => list.map(each => document.querySelector(`[data-control="${each}"]`)?.outerHTML.slice(0, 120)),
      [...missed, ...unseen],
    );
    expect(names).toEqual([]);
  });
});

describe('the search', () => {
  it('opens by /, finds a framework, and goes there by Enter', async () => {
    await open(page, here.pages.at('method'));
    await page.keyboard.press('/');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('search');
    await page.keyboard.type('axu');
    await page.waitForSelector('#search-results [role=option]');
    await follow(page, '#/framework/axum', () => page.keyboard.press('Enter'));
    expect(await page.locator('h1').textContent()).toBe('Axum');
  });
});

describe('the address', () => {
  it('holds the state, keeps the focus, and Back undoes', async () => {
    await open(page, here.pages.at('now?lane=hosted-x64'));
    await page.locator('#metric-server_cpu_us_per_request').focus();
    await follow(page, 'metric=goodput_rps', () => page.keyboard.press('ArrowRight'));
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('metric-goodput_rps');
    const shared = page.url();
    await page.goBack();
    await page.waitForFunction(
      () => (document.querySelector('#metric-server_cpu_us_per_request') as HTMLInputElement)?.checked,
    );
    const other = await context.newPage();
    await open(other, shared);
    expect(await other.locator('#metric-goodput_rps').isChecked()).toBe(true);
  });

  it('zooms, pans and resets a trend by buttons', async () => {
    await open(page, here.pages.at('trends?lane=hosted-x64'));
    const span = () => page.locator('.chart-buttons .span').textContent();
    const whole = await span();
    await follow(page, 'from=', () => page.locator('#zoom-in').press('Enter'));
    const zoomed = await span();
    expect(zoomed).not.toBe(whole);
    await page.locator('#earlier').press('Enter');
    await page.waitForFunction(
      before => document.querySelector('.chart-buttons .span')?.textContent !== before,
      zoomed,
    );
    await page.locator('#zoom-reset').press('Enter');
    await page.waitForFunction(before => document.querySelector('.chart-buttons .span')?.textContent === before, whole);
  });

  it('zooms by dragging, and shows a tip', async () => {
    await open(page, here.pages.at('trends?lane=hosted-x64'));
    const box = await page.locator('.u-over').boundingBox();
    if (box === null) throw new Error('no chart');
    for (let y = 10; y < box.height && !(await page.locator('.tip').isVisible()); y += 12) {
      await page.mouse.move(box.x + box.width * 0.6, box.y + y);
    }
    expect(await page.locator('.tip').textContent()).toMatch(/×/);
    await page.mouse.move(box.x + box.width * 0.3, box.y + 50);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + 60, { steps: 5 });
    await follow(page, 'from=', () => page.mouse.up());
  });
});

it('the theme is remembered', async () => {
  await open(page, here.pages.at('now'));
  await page.locator('#theme').press('Enter');
  expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
  await page.reload();
  expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
});

describe('what can be taken away', () => {
  it('is the chart as a picture', async () => {
    await open(page, here.pages.at('now?lane=hosted-x64'));
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#picture-png').press('Enter')]);
    expect(download.suggestedFilename()).toMatch(/\.png$/);
    const [chunk] = await (await download.createReadStream()).toArray();
    expect((chunk as Buffer).subarray(1, 4).toString()).toBe('PNG');
  });
  it('is the record, and its trials as CSV', async () => {
    await open(page, here.pages.at('run/20261116T041700Z-3bc?lane=hosted-x64'));
    for (const [control, lines] of [
      ['#csv-20261116t041700z-3bc', 6 * 13 * 24 + 1],
      ['#json', 1],
    ] as const) {
      const [download] = await Promise.all([page.waitForEvent('download'), page.locator(control).press('Enter')]);
      const chunks: Buffer[] = [];
      for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
      const text = Buffer.concat(chunks).toString('utf8');
      expect(text.trimEnd().split('\n')).toHaveLength(lines);
    }
  });
});
