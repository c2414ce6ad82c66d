// Every view with a real pages folder: the one that REAL_PAGES names. Where the variable is not set there is nothing to try;
// where it is set to something that is none, that is a failure.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Index } from '../../src/data/generated/published';
import {
  axe,
  contextOf,
  DESKTOP,
  type Look,
  onePage,
  open,
  PHONE,
  screenshot,
  setting,
  sideways,
  watch,
} from './harness';

const folder = process.env.REAL_PAGES;

describe.skipIf(folder === undefined)('real data', () => {
  let lanes: { name: string; newest: string }[] = [];

  beforeAll(() => {
    const path = join(folder ?? '', 'data/index.json');
    if (!folder || !existsSync(path))
      throw new Error(`REAL_PAGES is no pages folder: “${folder}” has no data/index.json`);
    const index = JSON.parse(readFileSync(path, 'utf8')) as Index;
    lanes = Object.entries(index.lanes).flatMap(([name, { profile, series }]) =>
      series[profile] === undefined ? [] : [{ name, newest: series[profile].newest.id }],
    );
  });
  const here = setting(() => folder ?? '');

  it('has a lane', () => {
    expect(lanes.length).toBeGreaterThan(0);
  });

  const looks: [string, Look][] = [
    ['desktop', DESKTOP],
    ['phone-dark', { ...PHONE, dark: true }],
  ];
  describe.each(looks)('%s', (look, size) => {
    const page = onePage(() => contextOf(here.chrome, size));
    let faults: string[] = [];
    beforeAll(() => {
      faults = watch(page());
    });
    it.each([
      'now',
      'trends',
      'compare',
      'compare?of=runs',
      'framework',
      'framework/axum',
      'ratios/protocols',
      'ratios/variants',
      'ratios/scaling',
      'run',
      'run/NEWEST',
      'method',
    ])('%s', async view => {
      for (const { name, newest } of lanes) {
        const route = `${view.replace('NEWEST', newest)}${view.includes('?') ? '&' : '?'}lane=${name}`;
        await open(page(), here.pages.at(route));
        expect(await sideways(page())).toBe(0);
        expect(await axe(page())).toEqual([]);
        await screenshot(page(), `real-${name}-${view.replace(/\W/g, '-')}-${look}`);
        expect(faults.splice(0)).toEqual([]);
      }
    });
  });
});
