// Every view, in both themes and on a phone: it is there, silent, within its width, and axe has nothing serious to say.
import { beforeAll, describe, expect, it } from 'vitest';
import { history } from '../synthetic/generate';
import {
  contextOf,
  DESKTOP,
  type Look,
  looksRight,
  onePage,
  open,
  PHONE,
  screenshot,
  setting,
  sideways,
  watch,
} from './harness';
import { NOTICES, ROUTES } from './routes';

const here = setting(() => history());

const LOOKS: [string, Look][] = [
  ['desktop-light', DESKTOP],
  ['desktop-dark', { ...DESKTOP, dark: true }],
  ['phone-light', PHONE],
  ['phone-dark', { ...PHONE, dark: true }],
];

// The views of a look follow each other in one page, as a reader goes from one to the next.
describe.each(LOOKS)('%s', (look, size) => {
  const page = onePage(() => contextOf(here.chrome, size));
  let faults: string[] = [];
  beforeAll(() => {
    faults = watch(page());
  });
  it.each(ROUTES)('%s', async (name, route) => {
    await open(page(), here.pages.at(route));
    await looksRight(page(), NOTICES[name] ?? 0);
    await screenshot(page(), `${name}-${look}`);
    expect(faults.splice(0)).toEqual([]);
  });
});

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

it.each([1620, 1619, 1400, 1399, 1280, 1000, 700])('has a header that fits at a width of %i', async width => {
  const context = await contextOf(here.chrome, { ...DESKTOP, width });
  const page = await context.newPage();
  // The lane with the longest name.
  await open(page, here.pages.at('method?lane=hosted-x64:database'));
  const hidden = await page.locator('.top').evaluate(top => top.scrollWidth - top.clientWidth);
  expect([await sideways(page), hidden]).toEqual([0, 0]);
  await context.close();
});

it('draws curves that are not trusted in grey, and their axis within its frame', async () => {
  const context = await contextOf(here.chrome, { ...PHONE, dark: true });
  const page = await context.newPage();
  await open(page, here.pages.at('now?lane=hosted-x64&scenario=hello-r1000&curves=reference,ohkami,axum,tide,astra'));
  const colours = (curves: string) =>
    page
      .locator(`${curves} .step`)
      .evaluateAll(lines => [...new Set(lines.map(line => getComputedStyle(line).stroke))]);
  const [grey] = await colours('.curve.untrusted');
  expect(await colours('.curve:not(.untrusted)')).not.toContain(grey);
  const beyond = await page.locator('.percentiles').evaluate(frame => {
    const { left, right } = frame.getBoundingClientRect();
    return [...frame.querySelectorAll('span')].filter(label => {
      const box = label.getBoundingClientRect();
      return box.left < left || box.right > right;
    }).length;
  });
  expect(beyond).toBe(0);
  await context.close();
});
