// @vitest-environment happy-dom
// Names that mean harm are text, and what is missing, cut off or of another version is explained.
import { beforeAll, describe, expect, it } from 'vitest';
import { NEWEST } from '../browser/routes';
import { type Files, history } from '../synthetic/generate';
import { MARKUP, renamed } from '../synthetic/markup';
import { all, main, open, search, start } from './page';

const unharmed = (): void => expect(all('img, script, iframe, [onerror], [href^="javascript:"]')).toEqual([]);

beforeAll(async () => {
  const files = renamed(history({ weeks: 12 }));
  const { lanes } = files.get('data/index.json') as { lanes: Record<string, object> };
  lanes.empty = { profile: 'weekly', series: {} };
  files.set('data/hosted-arm64/series/weekly.json', { schema_version: 99 });
  files.set('data/hosted-x64/series/weekly/simple.json', '{"schema_version": 1,');
  files.delete('data/hosted-x64/series/weekly/bcrypt.json');
  await start(files);
});

describe('markup', () => {
  it.each([
    ['a title, a name, a machine', 'now?lane=hosted-x64'],
    ['a cause', 'trends?lane=hosted-x64&range=3m'],
    ['a known fault', 'framework/viz?lane=hosted-x64'],
    ['a warning, a trial', `run/${NEWEST}?lane=hosted-x64`],
    ['a name next to a line', 'now?lane=hosted-x64&scenario=hello-r1000&curves=ohkami,axum,reference'],
    ['a server at several widths', 'ratios/scaling?lane=self-hosted'],
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

describe('what cannot be shown is said', () => {
  it.each([
    ['trends?lane=hosted-arm64', 'has schema_version 99; this page reads version 3'],
    ['trends?lane=hosted-x64&scenario=simple', 'is not JSON'],
    ['trends?lane=hosted-x64&scenario=bcrypt', 'is not there'],
    ['now?lane=empty', 'no runs yet'],
    ['variants?lane=empty', 'No run on this machine has measured a variant yet'],
    ['scaling?lane=empty', 'No run on this machine has compared numbers of workers yet'],
    ['run/nothing?lane=hosted-x64', 'No such run'],
    ['framework/unheard-of?lane=hosted-x64', 'not among'],
    ['breaks/unheard-of?lane=hosted-x64', 'not among'],
  ])('%s: %s', async (route, text) => {
    await open(route);
    expect(main()).toContain(text);
  });
});

describe('an index that', () => {
  it.each([
    ['is missing', undefined, 'is not there'],
    ['is broken', '{"schema_version": 3,', 'is not JSON'],
    ['is too new', { schema_version: 99, lanes: {} }, 'schema_version 99'],
    ['is empty', { schema_version: 3, lanes: {} }, 'names no lane'],
  ])('%s', async (_, content, text) => {
    const files: Files = new Map(content === undefined ? [] : [['data/index.json', content]]);
    await start(files);
    expect(main()).toContain(text);
  });
});
