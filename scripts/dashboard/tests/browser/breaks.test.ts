// What breaks: from the matrix to a cell, to a case, to the bytes; and the filters, which the address keeps.
import type { BrowserContext, Page } from 'playwright-core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { history } from '../synthetic/generate';
import { contextOf, DESKTOP, follow, open, setting } from './harness';

const here = setting(() => history({ weeks: 2, lanes: 1 }));
let context: BrowserContext;
let page: Page;
beforeEach(async () => {
  context = await contextOf(here.chrome, DESKTOP);
  page = await context.newPage();
});
afterEach(() => context.close());

const row = (name: string) => page.locator('.matrix tbody tr', { has: page.locator('th a', { hasText: name }) });

it('leads from a cell to its cases, and from a case to the bytes of both sides', async () => {
  await open(page, here.pages.at('breaks'));
  await follow(page, 'group=connections', () => row('Ohkami').locator('td a').first().click());
  expect(await page.locator('h1').textContent()).toBe('Ohkami');
  expect(await page.locator('.cases li').count()).toBe(1);
  await follow(page, 'case=pipelined-three', () =>
    page.getByRole('link', { name: 'Three requests in one packet' }).click(),
  );
  const [sent, came, command] = await page.locator('.bytes').allTextContents();
  expect(sent).toContain('Host: localhost\\r\\n');
  expect(came).toContain('Hello, World!');
  expect(command).toBe('./scripts/bench probe --app ohkami --case pipelined-three');
  expect(await page.locator('tr.asked').textContent()).toContain('fails');
  const source = page.getByRole('link', { name: 'RFC 9112, section 9.3.2' });
  expect(await source.getAttribute('href')).toBe('https://www.rfc-editor.org/rfc/rfc9112#section-9.3.2');
});

it('says what could not be probed, and counts no fault that only happened now and then', async () => {
  await open(page, here.pages.at('breaks'));
  expect(await row('Astra').textContent()).toContain('not probed: the server died');
  expect(await row('Roa').locator('td').first().textContent()).toBe('0');
  await open(page, here.pages.at('breaks/roa'));
  expect(await page.locator('main').innerText()).toContain('Now and then, which is no fault');
});

it('filters by level and by fault, and the address keeps it', async () => {
  await open(page, here.pages.at('breaks'));
  const all = (name: string) => row(name).locator('td').first().textContent();
  expect([await all('Ohkami'), await all('Axum')]).toEqual(['1 + 1', '1']);
  await follow(page, 'level=must', () => page.locator('#level-must').check());
  expect(await all('Ohkami')).toBe('1');
  await follow(page, 'own=yes', () => page.getByRole('checkbox').check());
  expect([await all('Ohkami'), await all('Axum'), await all('hyper')]).toEqual(['1', '0', '1']);
  await page.reload();
  await page.waitForSelector('.matrix');
  expect(await all('Axum')).toBe('0');
});

it('shows one case on all servers, the failures first', async () => {
  await open(page, here.pages.at('breaks'));
  await follow(page, 'case=host-missing', () => page.getByRole('link', { name: 'No Host' }).first().click());
  const outcomes = await page.locator('tbody tr td:nth-child(3)').allTextContents();
  expect(outcomes.slice(0, 2)).toEqual(['fails, by its engine', 'fails, by its engine']);
  expect(outcomes.filter(outcome => outcome === 'fails')).toHaveLength(1);
  expect(outcomes).toContain('passes');
  expect(outcomes.at(-1)).toBe('not probed');
});

it('tells what began or ceased to fail, with what moved', async () => {
  await open(page, here.pages.at('breaks'));
  const change = page.locator('.change.good');
  expect(await change.textContent()).toContain('ntex 3.12.2 → 3.12.3');
});

it('marks the row in Now and the page of the framework', async () => {
  await open(page, here.pages.at('now'));
  const mark = page.locator('.ranking .breaks a').first();
  await mark.waitFor();
  expect(await mark.textContent()).toBe('fails 1 case');
  await follow(page, 'breaks/ohkami', () => mark.click());
  await open(page, here.pages.at('framework/axum'));
  expect(await page.locator('main').innerText()).toContain('1 of these is the fault of hyper');
});

it('says how probes are made where there are none', async () => {
  const { site } = await import('./harness');
  const files = history({ weeks: 2, lanes: 1 });
  files.delete('data/probes/breaks.json');
  files.delete('data/probes/index.json');
  const without = await site(files);
  await open(page, without.at('breaks'));
  expect(await page.locator('main').innerText()).toContain('No probes were published yet');
  await open(page, without.at('framework/axum'));
  expect(await page.locator('h1').textContent()).toBe('Axum');
  await without.close();
});
