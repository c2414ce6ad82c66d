// @vitest-environment happy-dom
// Every address that the site has leads to its view, and controls lead from one to the next.
import { beforeAll, describe, expect, it } from 'vitest';
import { BEFORE, NEWEST, NOTICES, ROUTES } from '../browser/routes';
import { history } from '../synthetic/generate';
import { all, choose, key, link, one, open, press, search, shown, start, texts } from './page';

beforeAll(() => start(history({ weeks: 8 })));

it.each(ROUTES)('%s', async (name, route) => {
  await open(route);
  expect(document.title).toContain('Rust web frameworks');
  expect(one('nav [aria-current=page]').getAttribute('href')).toContain(`#/${/^\w+/.exec(route)}`);
  expect(texts('main .notice')).toHaveLength(NOTICES[name] ?? 0);
  expect(all('h1')).toHaveLength(1);
});

it('compares two frameworks in the run that is chosen', async () => {
  const of = () => one('.provenance a').getAttribute('href');
  await open(`compare?lane=hosted-x64&run=${BEFORE}`);
  expect(of()).toContain(BEFORE);
  await choose('#run', NEWEST);
  expect(of()).toContain(NEWEST);
  await open('compare?lane=hosted-x64&run=20000101T000000Z-1');
  expect(one('main .notice').textContent).toContain('20000101T000000Z-1');
});

it('shows figures of each kind of run, whichever was made last', async () => {
  await open('now?lane=hosted-x64');
  for (const [kind, leads, kinds] of [
    ['With a database', 'Ohkami', ['Frameworks', 'Engines, no framework', 'Frameworks with a driver of their own']],
    ['Drivers', 'Axum, tokio-postgres', ['Drivers']],
  ] as const) {
    await press(link(kind));
    expect(one('h1').textContent).toBe('One row of a database by its key');
    expect(one('.stands-for').textContent).toBe('What One row of a database by its key stands for.');
    expect(all('main .notice')).toEqual([]);
    expect(one('.headline').textContent).toContain(leads);
    expect(texts('.ranking h3')).toEqual([...kinds, 'To compare with']);
    // What a link from another kind of run asked for can be undone.
    const address = location.hash.slice(2);
    await open(`${address}&kinds=legacy`);
    expect(all('main .notice')).toHaveLength(1);
    expect(all('.checks input')).toHaveLength(kinds.length);
    await open(address);
  }
  await press(link('Compare'));
  expect(texts('#left option')).toContain('Axum, SeaORM');
  await choose('#left', 'axum-sea-orm');
  await choose('#right', 'axum-tokio-postgres');
  const db = all('.difference').find(each => each.textContent.includes('One row of a database by its key'));
  expect(db?.textContent).toContain('ahead in this session: rank 1 against 4');
});

describe('the search', () => {
  const input = () => one('#search') as HTMLInputElement;
  it('opens by /, finds a framework, and goes there by Enter', async () => {
    await open('method');
    key(document, '/');
    expect(document.activeElement).toBe(input());
    expect(await search('axu')).toContain('frameworkAxumaxum');
    await shown(() => key(input(), 'Enter'));
    expect(location.hash).toContain('#/framework/axum');
    expect(one('h1').textContent).toBe('Axum');
  });
  it('finds scenarios and runs, and arrows choose among them', async () => {
    await search('json');
    key(input(), 'ArrowDown');
    expect(input().getAttribute('aria-activedescendant')).toBe('search-result-1');
    await search('20261109');
    expect(texts('#search-results .kind')).toEqual(['run']);
    await shown(() => key(input(), 'Enter'));
    expect(location.hash).toContain('#/run/20261109');
  });
  it('closes by Escape and gives the page back', async () => {
    input().focus();
    await search('ax');
    key(input(), 'Escape');
    expect(one('#search-results').hidden).toBe(true);
    expect(document.activeElement).not.toBe(input());
  });
});
