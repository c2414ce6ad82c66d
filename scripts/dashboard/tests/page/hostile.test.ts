// @vitest-environment happy-dom
// Data that means harm, or is cut off: nothing throws, markup is text, and what is missing is explained.
import { beforeAll, describe, expect, it } from 'vitest';
import { NEWEST } from '../browser/routes';
import type { Files } from '../synthetic/generate';
import { hostile, MARKUP } from '../synthetic/hostile';
import { all, main, one, open, search, start } from './page';

const VIEWS = [
  'now',
  'now?scenario=hello-r1000&curves=ohkami,actix-web,xitca-web,warp,thruster,axum,reference',
  'overview',
  'variants',
  'scaling',
  'trends',
  'compare',
  'compare?of=runs',
  'framework',
  'framework/axum',
  'framework/viz',
  'run',
  `run/${NEWEST}`,
  'method',
];
/** These are the same in every lane. */
const OF_NO_LANE = ['breaks', 'breaks/ohkami', 'breaks/ohkami?case=pipelined-three', 'breaks?case=host-missing'];
const LANES = ['hosted-x64', 'future', 'missing', 'broken', 'empty', '../../etc', 'nowhere'];

function unharmed(): void {
  expect(all('img, script, iframe, [onerror], [href^="javascript:"]')).toEqual([]);
  expect(one('h1').textContent).not.toBe('This view could not be shown');
}

beforeAll(async () => {
  const files = hostile();
  // Ten thousand options of a list are for a browser.
  const index = files.get('data/index.json') as { lanes: Record<string, unknown> };
  delete index.lanes.many;
  await start(files);
});

describe.each(LANES)('lane %s', lane => {
  it.each(lane === 'hosted-x64' ? [...VIEWS, ...OF_NO_LANE] : VIEWS)('%s', async view => {
    await open(`${view}${view.includes('?') ? '&' : '?'}lane=${encodeURIComponent(lane)}`);
    unharmed();
    expect(main().trim().length).toBeGreaterThan(10);
  });
});

describe('markup', () => {
  it.each([
    ['a title, a name, a machine', 'now?lane=hosted-x64'],
    ['a cause', 'trends?lane=hosted-x64&range=3m'],
    ['a known fault', 'framework/viz?lane=hosted-x64'],
    ['a warning, a trial', `run/${NEWEST}?lane=hosted-x64`],
    ['a name beside a line', 'now?lane=hosted-x64&scenario=hello-r1000&curves=ohkami,axum,reference'],
    ['a variant', 'variants?lane=hosted-x64'],
    ['a server at several widths', 'scaling?lane=self-hosted'],
    ['a case, a cause', 'breaks?lane=hosted-x64'],
    ['bytes', 'breaks/ohkami?lane=hosted-x64&case=pipelined-three'],
    ['the address itself', `framework/${encodeURIComponent(MARKUP)}?lane=hosted-x64`],
  ])('in %s is text', async (_, route) => {
    await open(route);
    unharmed();
    expect(main()).toContain('<img src=x onerror=');
  });
  it('in the search is text', async () => {
    await open('method?lane=hosted-x64');
    expect((await search('img')).join()).toContain(MARKUP);
    unharmed();
  });
});

describe('what is not understood is said', () => {
  it.each([
    ['now?lane=hosted-x64', 'Left out of the data'],
    ['now?lane=hosted-x64', 'abducted (a verdict that this page does not know)'],
    ['now?lane=hosted-x64&scenario=hello', 'schema_version 99'],
    ['now?lane=hosted-x64&scenario=simple', 'is not JSON'],
    ['now?lane=hosted-x64&scenario=bcrypt', 'is not there'],
    ['now?lane=future', 'schema_version 99'],
    ['now?lane=broken', 'is not JSON'],
    ['now?lane=missing', 'is not there'],
    ['now?lane=empty', 'no runs yet'],
    ['variants?lane=empty', 'No run of this lane has measured a variant yet'],
    ['variants?lane=future', 'No run of this lane has measured a variant yet'],
    ['scaling?lane=empty', 'No run of this lane has compared widths yet'],
    ['scaling?lane=hosted-x64', 'has schema_version 99'],
    ['run/nothing?lane=hosted-x64', 'No such run'],
    ['framework/unheard-of?lane=hosted-x64', 'not among'],
    ['breaks/unheard-of?lane=hosted-x64', 'not among'],
    ['breaks?lane=hosted-x64', 'Left out of the data'],
  ])('%s: %s', async (route, text) => {
    await open(route);
    expect(main()).toContain(text);
  });
});

describe('an index that', () => {
  it.each([
    ['is missing', undefined, 'is not there'],
    ['is broken', '{"schema_version": 2,', 'is not JSON'],
    ['is too new', { schema_version: 99, lanes: {} }, 'schema_version 99'],
    ['is empty', { schema_version: 2, lanes: {} }, 'names no lane'],
    ['is a list', [], 'not the object'],
  ])('%s', async (_, content, text) => {
    const files: Files = new Map(content === undefined ? [] : [['data/index.json', content]]);
    await start(files);
    expect(main()).toContain(text);
  });
});
