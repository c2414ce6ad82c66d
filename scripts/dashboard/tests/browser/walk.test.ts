// One walk through all views, with names that mean harm: each is there, silent, within its width, and axe has nothing serious to
// say, on a desktop in one theme and on a phone in the other. Two pages side by side, for a page computes on one core.
import { beforeAll, expect, it } from 'vitest';
import { history } from '../synthetic/generate';
import { renamed } from '../synthetic/markup';
import { contextOf, DESKTOP, looksRight, onePage, open, PHONE, setting, watch } from './harness';
import { NOTICES, PAGES } from './routes';

const here = setting(() => renamed(history({ weeks: 52 })));
const walkers = [DESKTOP, PHONE].map(look => onePage(() => contextOf(here.chrome, look)));
let faults: string[][] = [];
beforeAll(() => {
  faults = walkers.map(page => watch(page()));
});

it.each(PAGES.map((page, place) => [...page, place] as const))('%s', async (name, route, place) => {
  const visits = walkers.map(async (page, walker) => {
    await page().emulateMedia({ colorScheme: (place + walker) % 2 === 0 ? 'dark' : 'light' });
    await open(page(), here.pages.at(route));
    await looksRight(page(), NOTICES[name] ?? 0);
    expect(await page().locator('main img, main script, main [onerror]').count()).toBe(0);
  });
  await Promise.all(visits);
  expect(faults.flatMap(each => each.splice(0))).toEqual([]);
});
