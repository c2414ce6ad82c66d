// @vitest-environment happy-dom
// What breaks: from the matrix to a cell, to a case, to the bytes; and the filters, which the address keeps.
import { beforeAll, expect, it } from 'vitest';
import { history } from '../synthetic/generate';
import { all, choose, link, main, one, open, press, start, texts, unfold } from './page';

beforeAll(() => start(history({ weeks: 2, lanes: 1 })));

const row = (name: string): HTMLElement => {
  const found = all('.matrix tbody tr').find(each => each.querySelector('th a')?.textContent.includes(name));
  if (found === undefined) throw new Error(`no row of ${name}`);
  return found;
};
const failures = (name: string) => row(name).querySelector('td')?.textContent;

it('leads from a cell to its cases, and from a case to the bytes of both sides', async () => {
  await open('breaks');
  await press(row('Ohkami').querySelector('td a') as HTMLElement);
  expect(location.hash).toContain('group=connections');
  expect(one('h1').textContent).toBe('Ohkami');
  expect(all('.cases li')).toHaveLength(1);
  await press(link('Three requests in one packet'));
  expect(location.hash).toContain('case=pipelined-three');
  const [sent, came, command] = texts('.bytes');
  expect(sent).toContain('Host: localhost\\r\\n');
  expect(came).toContain('Hello, World!');
  expect(command).toBe('./scripts/bench probe --app ohkami --case pipelined-three');
  expect(one('tr.chosen').textContent).toContain('fails');
  expect(link('RFC 9112, section 9.3.2').getAttribute('href')).toBe(
    'https://www.rfc-editor.org/rfc/rfc9112#section-9.3.2',
  );
});

it('says what could not be probed, and counts no fault that only happened now and then', async () => {
  await open('breaks');
  expect(row('Astra').textContent).toContain('not probed: the server died');
  expect(failures('Roa')).toBe('0');
  await open('breaks/roa');
  expect(main()).toContain('Now and then, which is no fault');
});

it('filters by level, protocol and fault, and the address keeps it', async () => {
  await open('breaks');
  expect(['Ohkami', 'Axum'].map(failures)).toEqual(['1 + 1', '1']);
  await press(one('#level-must'));
  expect(location.hash).toContain('level=must');
  expect(failures('Ohkami')).toBe('1');
  await choose('#protocol', 'http2');
  expect(failures('Ohkami')).toBe('0');
  await choose('#protocol', '');
  await press(one('main input[type=checkbox]'));
  expect(location.hash).toContain('own=yes');
  expect(['Ohkami', 'Axum', 'hyper'].map(failures)).toEqual(['1', '0', '1']);
  await open(location.hash.slice(2));
  expect(failures('Axum')).toBe('0');
});

it('shows one case on all servers, the failures first', async () => {
  await open('breaks');
  await press(link('No Host'));
  expect(location.hash).toContain('case=host-missing');
  expect(main()).toContain('disagree with a proxy');
  const outcomes = texts('tbody tr td:nth-child(3)');
  expect(outcomes.slice(0, 2)).toEqual(['fails, by its engine', 'fails, by its engine']);
  expect(outcomes.filter(outcome => outcome === 'fails')).toHaveLength(1);
  expect(outcomes).toContain('passes');
  expect(outcomes.at(-1)).toBe('not probed');
});

it('shows who gives memory back, and the same figures as a table', async () => {
  await open('breaks');
  const ofAxum = all('.tooth').find(each => each.textContent.startsWith('Axum'));
  expect(ofAxum?.textContent).toContain('gives 40\u00a0% back');
  const line = ofAxum?.querySelector('polyline')?.getAttribute('points')?.split(' ') ?? [];
  const heights = line.map(point => Number(point.split(',')[1]));
  expect(heights).toHaveLength(10);
  expect(heights[1]).toBeLessThan(heights[3] as number);
  expect(heights[3]).toBeLessThan(heights[0] as number);
  unfold('#memory-table');
  expect(one('#memory-table tbody').textContent).toContain('105 MiB');
});

it('says what began or ceased to fail, with what moved', async () => {
  await open('breaks');
  expect(one('.change.good').textContent).toContain('ntex 3.12.2 → 3.12.3');
});

it('says what clients notice of a move, what fails first', async () => {
  await open('breaks');
  await press(link('Moving from one to another'));
  expect(one('h1').textContent).toBe('From Axum to Rocket');
  expect(main()).toContain('2 of 3 cases differ between Axum 1.0.0 and Rocket 1.0.0');
  expect(texts('h2')).toEqual(['Works with Axum only', 'Limits, times and the end']);
  expect(link('Limits').getAttribute('href')).toBe('https://docs.rs/rocket');
  await press(one('#swap'));
  expect(texts('h2')).toEqual(['Works with Axum only', 'Limits, times and the end']);
  expect(one('h1').textContent).toBe('From Rocket to Axum');
});

it('marks the row in Now and the page of the framework', async () => {
  await open('now');
  const mark = one('.ranking .breaks a');
  expect(mark.textContent).toBe('breaks 1 HTTP rule');
  await press(mark);
  expect(location.hash).toContain('breaks/ohkami');
  await open('framework/axum');
  await press(link('1 mandatory HTTP rule'));
  expect(main()).toContain('1 of these is the fault of hyper');
});

it('says how probes are made where there are none', async () => {
  const files = history({ weeks: 2, lanes: 1 });
  files.delete('data/probes/breaks.json');
  files.delete('data/probes/index.json');
  files.delete('data/probes/clients.json');
  await start(files, 'breaks');
  expect(main()).toContain('No probes were published yet');
  await open('framework/axum');
  expect(one('h1').textContent).toBe('Axum');
});

it('has the figures of all servers with a case that measures, who takes least first', async () => {
  await start(history({ weeks: 2 }), 'breaks?lane=hosted-x64');
  unfold('#measured');
  await press(link('10,000 connections wait', '#measured'));
  const column = texts('thead th').indexOf('bytes per connection');
  const figures = all('tbody tr').map(row => Number(row.children[column]?.textContent.replace(',', '') ?? ''));
  expect(figures.filter(Number.isFinite).length).toBeGreaterThan(2);
  expect(figures.filter(Number.isFinite)).toEqual(figures.filter(Number.isFinite).toSorted((a, b) => a - b));
  await press(link('the peak memory'));
  expect(location.hash).toContain('lane=hosted-x64%3Aservices&scenario=websocket-c1000&metric=rss_peak_bytes');
});
