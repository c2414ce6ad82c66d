// @vitest-environment happy-dom
// Every address that the site has leads to its view, and controls lead from one to the next.
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { BEFORE, NEWEST, NOTICES, ROUTES } from '../browser/routes';
import { history } from '../synthetic/generate';
import { all, choose, key, link, main, one, open, press, search, shown, start, texts } from './page';

beforeAll(() => start(history({ weeks: 8 })));

it.each(ROUTES)('%s', async (name, route) => {
  await open(route);
  expect(document.title).toContain('Rust web frameworks');
  // Runs are reached from News.
  const view = /^\w+/.exec(route)?.[0] === 'run' ? 'news' : /^\w+/.exec(route);
  expect(one('nav [aria-current=page]').getAttribute('href')).toContain(`#/${view}`);
  expect(texts('main .notice')).toHaveLength(NOTICES[name] ?? 0);
  expect(all('h1')).toHaveLength(1);
});

describe('two frameworks', () => {
  const sentences = () => texts('.sentences p').join(' ');
  it('are judged left against right, by name', async () => {
    await open('compare?lane=hosted-x64&left=axum&right=rocket');
    expect(one('h1').textContent).toBe('Axum or Rocket?');
    const [said] = texts('.sentences p');
    expect(said).toMatch(
      /^Without a database: Axum is ahead of Rocket in \d+ of \d+ kinds of work: own work .* ±9 against 100,/,
    );
    const line = () => all('.difference').find(each => each.textContent.includes('A small JSON answer'));
    expect(line()?.className).toContain('good');
    expect(line()?.textContent).toMatch(/−.*Axum ahead/);
    await press(one('#swap'));
    expect(one('h1').textContent).toBe('Rocket or Axum?');
    expect(texts('.sentences p')[0]).toMatch(/^Without a database: Axum is ahead of Rocket/);
    expect(line()?.className).toContain('bad');
    expect(line()?.textContent).toMatch(/\+.*Axum ahead/);
  });
  it('are compared by all kinds of runs, with what they break', async () => {
    await open('compare?lane=hosted-x64');
    expect(texts('main h2')).toEqual(expect.arrayContaining(['Without a database', 'With a database', 'Services']));
    expect(sentences()).toMatch(/Mandatory HTTP rules broken: Axum \d+/);
    expect(all('.difference:is(.good, .bad)').length).toBeGreaterThan(0);
  });
  it('have a p99 where a round has enough requests for it', async () => {
    await open('compare?lane=hosted-x64&left=axum&right=actix-web');
    expect(sentences()).toMatch(/p99 at 10,000 requests a second: Axum 0\.\d+.ms \(.*\), Actix Web 0\.\d+.ms \(.*\)\./);
    expect(sentences()).not.toContain('p99 at 1,000');
    expect(texts('.difference .name').filter(name => name.endsWith('p99'))).toHaveLength(1);
  });
  it('come from the run that the link pins', async () => {
    await open(`compare?lane=hosted-x64&run=${BEFORE}`);
    expect(one('.provenance a').getAttribute('href')).toContain(BEFORE);
    expect(texts('main h2')).not.toContain('With a database');
    // Two runs with the same work are one comparison, the newer's.
    const lines = all('.difference').length;
    await open(`compare?lane=hosted-x64&run=${BEFORE},${NEWEST}`);
    expect(all('.difference')).toHaveLength(lines);
    expect(one('.provenance a').getAttribute('href')).toContain(NEWEST);
    await press(link('newest runs'));
    expect(one('.provenance a').getAttribute('href')).toContain(NEWEST);
    await open('compare?lane=hosted-x64&run=20000101T000000Z-1');
    expect(one('main .notice').textContent).toContain('20000101T000000Z-1');
  });
});

it.each([
  'overview',
  'news',
  'now',
  'compare',
  'trends',
  'framework',
  'framework/axum',
  'ratios/variants',
  `run/${NEWEST}`,
])('%s names machine and day above its figures', async route => {
  await open(`${route}?lane=hosted-x64`);
  const top = one('.provenance');
  expect(top.textContent).toContain('AMD EPYC 9V74, 4 cpus');
  expect(one('h1').textContent + top.textContent).toMatch(/16 Nov 2026|2026-11-16/);
  const figures = one('main :is(.controls, .ranking, .difference, .changes, table)');
  expect(top.compareDocumentPosition(figures)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
});

it('lists what each framework offers, and chooses by it', async () => {
  await open('framework?lane=hosted-x64');
  expect(texts('.table-box thead th').slice(0, 4)).toEqual([
    'Framework',
    'Version',
    'Measured here with',
    'Documents no way for',
  ]);
  const hyper = () => all('tbody tr').find(row => row.querySelector('th')?.textContent === 'hyper');
  expect(hyper()?.querySelector('abbr')?.title).toContain('no router');
  expect(hyper()?.querySelector('abbr')?.textContent).toBe('Routes');
  expect(link('Axum', 'tbody').getAttribute('href')).toContain('#/framework/axum?');
  await choose('#with', 'Routes');
  expect(location.hash).toContain('with=Routes');
  expect(hyper()).toBeUndefined();
  expect(link('Axum', 'tbody')).toBeDefined();
});

it.each([
  ['framework/axum?lane=hosted-x64', 'apps/axum'],
  ['framework/nickel?lane=hosted-x64', 'apps/legacy/nickel'],
  ['framework/axum-services?lane=hosted-x64:services', 'apps/services/axum-services'],
  ['framework/axum-sqlx?lane=hosted-x64:drivers', 'apps/postgres/axum-sqlx'],
])('%s links the source that was measured', async (route, folder) => {
  await open(route);
  expect(main()).toContain(folder);
  vi.stubEnv('REPOSITORY', 'owner/name');
  await open(route);
  expect(link(folder).getAttribute('href')).toMatch(
    new RegExp(`^https://github\\.com/owner/name/tree/[0-9a-f]{40}/${folder}$`),
  );
  vi.unstubAllEnvs();
});

it('says in how long the slowest of a hundred answers came, and ranks nobody by it', async () => {
  await open('now?lane=hosted-x64&scenario=hello-r10000&metric=latency_p99_ms');
  expect(one('.headline').textContent).toContain('99 % of the answers came within');
});

it('leads from every foot and from News to all runs', async () => {
  for (const [from, within] of [
    ['overview?lane=hosted-x64', 'footer'],
    ['news?lane=hosted-x64', 'main'],
  ] as const) {
    await open(from);
    await press(all(`${within} a`).find(each => each.getAttribute('href')?.startsWith('#/run?')) as HTMLElement);
    expect(one('h1').textContent).toBe('Runs');
  }
});

describe('News', () => {
  it('is first in the navigation, and lists by week what moved, what was new and what began to fail', async () => {
    await open('now?lane=hosted-x64');
    await press(all('nav a')[0] as HTMLElement);
    expect(one('h1').textContent).toBe('News');
    expect(texts('main h2')[0]).toBe('Week of 16 Nov 2026');
    const days = texts('.change .why').map(text => Date.parse(text.split(' · ')[0] ?? ''));
    expect(days).toEqual(days.toSorted((a, b) => b - a));
    for (const part of [
      'New machine: AMD EPYC 7763 → AMD EPYC 9V74',
      'Release of axum: 0.7.9 → 0.8.0',
      'ntex: pipelined-three passes since then',
    ])
      expect(
        texts('.change').filter(text => text.includes(part)),
        part,
      ).toHaveLength(1);
    expect(texts('.change .what').filter(text => text.startsWith('Poem'))).toHaveLength(1);
  });
  it('is not there where there is no history', async () => {
    await start(history({ weeks: 1, lanes: 1 }), 'now?lane=hosted-x64');
    expect(link('News', 'nav').hidden).toBe(true);
    await start(history({ weeks: 8 }));
  });
});

it('finds a place by the profile that it is about', async () => {
  await open('now?lane=hosted-x64:weekly');
  expect(one('nav [aria-current=page]').getAttribute('href')).toContain('lane=hosted-x64');
  expect(all('main .notice')).toEqual([]);
});

it('two runs are judged left against right', async () => {
  await open(`compare?lane=hosted-x64&of=runs&a=${BEFORE}&b=${NEWEST}`);
  expect((one('#run-b') as HTMLSelectElement).labels[0]?.textContent).toContain('Run');
  expect(one('.difference.axis .name').textContent).toBe('2026-11-16 against 2026-11-09');
});

describe('the start page', () => {
  const first = () => one('.overview tbody th button').textContent;
  it('shows what a service does, and engines and legacy only by choice', async () => {
    await open('overview?lane=hosted-x64');
    expect(texts('.overview thead a')).toEqual(['JSON answer', 'JSON body']);
    expect(texts('.overview tbody')).toHaveLength(1);
    await press(one('#for-postgres'));
    expect(texts('.overview thead a')).toEqual(['One row', 'New order']);
    await press(one('#show-engine'));
    expect(texts('.overview tbody')).toHaveLength(2);
  });
  it('makes the framework that is clicked the one to compare with', async () => {
    await open('overview?lane=hosted-x64');
    const leader = first();
    await press(one('#base-rocket'));
    expect(one('.overview tr.base').textContent).toContain('Rocket');
    expect(first()).toBe(leader);
    expect(one('.overview tbody td.together').title).toContain('−');
  });
});

it('shows figures of each kind of run, whichever was made last', async () => {
  await open('now?lane=hosted-x64');
  for (const [kind, day, leads, kinds] of [
    [
      'With a database',
      '10 Nov 2026',
      'Ohkami',
      ['Frameworks', 'Engines, no framework', 'Frameworks with a driver of their own'],
    ],
    ['Drivers', '11 Nov 2026', 'Axum, tokio-postgres', ['Drivers']],
  ] as const) {
    await press(link(kind));
    expect(one('h1').textContent).toBe('One row of a database by its key');
    expect(one('.stands-for').textContent).toBe('What One row of a database by its key stands for.');
    expect(all('main .notice')).toEqual([]);
    expect(one('.provenance a').textContent).toBe(day);
    expect(one('.headline').textContent).toContain(leads);
    expect(texts('.ranking h2')).toEqual([...kinds, 'To compare with']);
    // What a link from another kind of run chose can be undone.
    const address = location.hash.slice(2);
    await open(`${address}&kinds=legacy`);
    expect(all('main .notice')).toHaveLength(1);
    expect(all('.checks input')).toHaveLength(kinds.length);
    await open(address);
  }
  await open('compare?lane=hosted-x64:drivers&left=axum-sea-orm&right=axum-tokio-postgres');
  const db = all('.difference').find(each => each.textContent.includes('One row of a database by its key'));
  expect(db?.textContent).toContain('Axum, tokio-postgres ahead');
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
  it('knows pairs, views, words and figures', async () => {
    for (const [query, kind, address] of [
      ['axum actix', 'compare', 'left=axum&right=actix-web'],
      ['rocket or axum', 'compare', 'left=rocket&right=axum'],
      ['p99', 'figure', 'scenario=hello-r10000&metric=latency_p99_ms'],
      ['p99 axum actix', 'compare', 'left=axum&right=actix-web'],
      ['postgres', 'view', '#/overview?lane=hosted-x64&for=postgres'],
      ['TLS', 'view', '#/ratios/protocols?'],
      ['jemalloc', 'view', '#/ratios/variants?'],
      ['runs', 'view', '#/run?'],
      ['rps', 'view', '#/overview?'],
      ['memory', 'view', 'metric=rss_peak_bytes'],
      ['cite', 'view', 'at=cite'],
      ['1000 idle websockets', 'view', '#/breaks?lane=hosted-x64&case=idle-1000'],
      ['docker', 'view', '#/method?'],
      ['fastest', 'view', '#/overview?'],
      ['last week', 'view', '#/news?'],
      ['arm', 'view', '#/now?lane=hosted-arm64'],
      ['smuggling', 'view', '#/breaks?'],
    ] as const) {
      await search(query);
      expect(texts('#search-results .kind'), query).toContain(kind);
      const place = texts('#search-results .kind').indexOf(kind);
      for (let step = 0; step < place; step += 1) key(input(), 'ArrowDown');
      await shown(() => key(input(), 'Enter'));
      expect(location.hash, query).toContain(address);
    }
  });
  it('leads to a part of a view that is there already', async () => {
    await open('now?lane=hosted-x64');
    await search('cite');
    await shown(() => key(input(), 'Enter'));
    expect(document.activeElement).toBe(one('#cite'));
  });
  it('closes by Escape and gives the page back', async () => {
    input().focus();
    await search('ax');
    key(input(), 'Escape');
    expect(one('#search-results').hidden).toBe(true);
    expect(document.activeElement).not.toBe(input());
  });
});
