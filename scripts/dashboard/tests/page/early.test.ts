// @vitest-environment happy-dom
// What is requested before the code of a view is there: that which the view reads, each file once.
import { expect, it } from 'vitest';
import { BEFORE } from '../browser/routes';
import { history } from '../synthetic/generate';
import { open, read, start } from './page';

const files = history({ weeks: 3 });

it.each([
  '',
  'overview?for=postgres',
  'now',
  'now?lane=hosted-x64:database',
  `now?lane=hosted-x64&run=${BEFORE}`,
  'compare',
  `compare?of=runs`,
  'framework',
  'framework/axum',
  'framework/axum-postgres?lane=hosted-x64:database',
  'trends',
  'trends?lane=hosted-x64&scenario=simple',
  'trends?lane=hosted-x64:database',
])('%s', async route => {
  await start(files, route);
  const first = read.toSorted();
  expect(new Set(first).size).toBe(first.length);
  await start(files, 'method');
  const before = read.length;
  await open(route);
  expect(first).toEqual(['data/index.json', ...read.slice(before)].toSorted());
});

it('the figures of the start page are among the first files that are requested', async () => {
  await start(files, '');
  expect(read.slice(0, 3)).toEqual([
    'data/index.json',
    'data/probes/index.json',
    'data/hosted-x64/newest/weekly.json.gz',
  ]);
});
