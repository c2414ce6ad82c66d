// @vitest-environment happy-dom
// The page of ratios: variants, protocols and widths, each against a server's other form, and that it says so where nothing was measured.
import { beforeAll, describe, expect, it } from 'vitest';
import { history } from '../synthetic/generate';
import { all, choose, link, main, one, open, press, read, start, texts, unfold } from './page';

const VARIANTS = 'ratios/variants?lane=hosted-x64';
const PROTOCOLS = 'ratios/protocols?lane=hosted-x64';
const SCALING = 'ratios/scaling?lane=self-hosted';
beforeAll(() => start(history({ weeks: 8 })));

const about = (id: string, within = '') => `#about-${id} ${within}`;

describe('the variants', () => {
  it('are reached from the navigation, by the question that they answer', async () => {
    await open('now?lane=hosted-x64');
    await press(link('What if', 'nav'));
    await press(link('Variants', 'main nav'));
    expect(texts('.question h2')).toEqual([
      'Allocator',
      'JSON library',
      'Runtime',
      'Instructions of the cpu',
      'Set-up',
    ]);
    expect(texts(about('allocator', 'h3'))).toEqual(['mimalloc ÷ default', 'jemalloc ÷ default']);
    expect(texts(about('runtime', 'h3'))).toEqual(['io_uring ÷ default']);
    expect(texts('.provenance a')).toEqual(['16 Nov 2026', '13 Nov 2026']);
  });

  it('say of each line what was cheaper or costlier, and what is too close to call', async () => {
    await open(VARIANTS);
    const words = (id: string, name: string) =>
      all(about(id, '.worth li'))
        .filter(line => line.textContent.startsWith(name))
        .map(line => line.querySelector('.words')?.textContent ?? '');
    const sonic = words('json', 'Axum, ').slice(3, 6);
    for (const text of sonic) expect(text).toMatch(/^0\.\d+× .*, cheaper in this session$/);
    expect(words('json', 'ntex, ').some(text => text.includes('costlier'))).toBe(true);
    expect(words('allocator', 'Axum, ').some(text => text.includes('too close to call'))).toBe(true);
    expect(words('runtime', 'ntex, ').some(text => text.includes('cheaper in this session'))).toBe(true);
    const lines = texts('.worth .words');
    const judged = texts('.worth li:is(.good, .bad, .alike) .words');
    expect(judged.length).toBeGreaterThan(20);
    expect(judged.every(text => /^\d\.\d+× \(\d\.\d+ to \d\.\d+\), /.test(text))).toBe(true);
    for (const wanted of ['cheaper in this session', 'costlier in this session', 'too close to call'])
      expect(lines.some(text => text.includes(wanted))).toBe(true);
    expect(texts('.reading').join()).toContain('the extremes that the intervals of both allow');
  });

  it('begin with a line for each question, which counts what is cheaper or costlier as its lines do', async () => {
    await open(VARIANTS);
    const [answer = ''] = texts('.answers li');
    expect(answer).toMatch(
      /^Is the allocator of the system good enough for a server\? With 3 frameworks: mimalloc is cheaper in \d+ \(/,
    );
    const counted = (word: string) =>
      [...answer.matchAll(new RegExp(`${word} in (\\d+)`, 'g'))].reduce((sum, [, found]) => sum + Number(found), 0);
    const lines = ['good', 'bad'].map(each => all(about('allocator', `.worth li.${each}`)).length);
    expect(['cheaper', 'costlier'].map(counted)).toEqual(lines);
  });

  it('of JSON are compared with the control by choice, and the focus stays', async () => {
    await open(VARIANTS);
    one('#against-serde-json').focus();
    await press(one('#against-serde-json'));
    expect(location.hash).toContain('against=serde-json');
    expect(document.activeElement?.id).toBe('against-serde-json');
    expect(texts(about('json', 'h3'))).toEqual([
      'serde-json ÷ default',
      'sonic-rs ÷ serde-json',
      'simd-json ÷ serde-json',
    ]);
    expect(texts(about('allocator', 'h3'))[0]).toBe('mimalloc ÷ default');
  });

  it('can be looked at by another figure and one kind of work', async () => {
    await open(VARIANTS);
    await choose('#scenario', 'json-64k');
    expect(location.hash).toContain('scenario=json-64k');
    const names = texts('.worth li .name');
    expect(names.length).toBeGreaterThan(0);
    expect(names.every(name => name.endsWith(', JSON of 64 KiB'))).toBe(true);
    // What the choice leaves out was measured all the same.
    expect(one(about('set-up')).textContent).toContain('Not measured by this figure or in this kind of work');
    await choose('#metric', 'rss_peak_bytes');
    expect(one('.answers').textContent).toMatch(/mimalloc: [\d.]+(× in| to [\d.]+× in)/);
    expect(all('.worth li:is(.good, .bad, .alike)')).toEqual([]);
    expect(one('#scenario option[selected]').getAttribute('value')).toBe('json-64k');
    expect(one('.axis .name').textContent).toBe('← better');
    await choose('#metric', 'goodput_rps');
    expect(one('.axis .name').textContent).toBe('better →');
  });

  it('have a table with the same figures', async () => {
    await open(`${VARIANTS}&scenario=json-64k`);
    unfold('#figures');
    expect(all('#figures tbody tr')).toHaveLength(all('.worth li').length);
    expect(texts('#figures tbody tr th')[0]).toBe('Axum, mimalloc: JSON of 64 KiB');
    const verdicts = texts('#figures tbody td:last-child');
    expect(verdicts.some(text => /×.*, (cheaper|costlier) in this session$/.test(text))).toBe(true);
    expect(verdicts.toSorted()).toEqual(texts('.worth li .words').toSorted());
  });

  it('lead to the ranking of their run', async () => {
    await open(VARIANTS);
    await press(one(about('allocator', '.worth li a')));
    expect(location.hash).toMatch(/^#\/now\?.*variants/);
    expect(all('.ranking .variant').length).toBeGreaterThan(5);
  });

  it('say plainly what no run has measured yet', async () => {
    await open('ratios/variants?lane=hosted-arm64');
    for (const id of ['allocator', 'json', 'runtime'])
      expect(one(about(id)).textContent).toContain('No run on this machine has measured this yet.');
    expect(one(about('set-up')).textContent).not.toContain('No run on this machine');
    expect(all('main .notice')).toEqual([]);
  });
});

describe('protocols', () => {
  it('have a sentence with the least and the most, and a line for each framework', async () => {
    await open(PROTOCOLS);
    expect(texts('h3').map(text => text.split(' ÷')[0])).toEqual([
      'HTTP/1.1 over TLS',
      'HTTP/2, 8 requests on a connection',
      'HTTP/2 over TLS, 8 requests on a connection',
    ]);
    const [answer] = texts('.answers li');
    expect(answer).toMatch(
      /^HTTP\/1\.1 over TLS: \+\d+.% \(.*\) to \+\d+.% \(.*\) CPU per request, of \d+ frameworks; .* Axum \+\d+.%/,
    );
    const axum = all('.worth li').find(each => each.textContent.startsWith('Axum'));
    expect(axum?.querySelector('.words')?.textContent).toMatch(/^1\.\d+× \(1\.\d+ to 1\.\d+\)$/);
    unfold('#figures');
    expect(texts('#figures tbody tr').find(each => each.startsWith('Axum'))).toMatch(/\d+.µs.*\d+.µs/);
  });
});

it.each([
  ['variants?lane=hosted-x64&metric=rss_peak_bytes', 'Does it make a server faster?'],
  ['protocols?lane=hosted-x64', 'What do TLS and HTTP/2 cost?'],
  ['scaling?lane=self-hosted&curves=reference,rocket', 'What more workers are worth'],
])('an old link leads here: %s', async (route, heading) => {
  await open(route);
  expect(one('h1').textContent).toBe(heading);
  expect(one('nav [aria-current=page]').textContent).toBe('What if');
  expect(all('main .notice')).toEqual([]);
});

describe('the widths', () => {
  it('are reached from the navigation, the reference first and the most first of all others', async () => {
    await open('now?lane=self-hosted');
    await press(link('What if', 'nav'));
    await press(link('Scaling', 'main nav'));
    const servers = texts('.worth li .name').map(text => text.split(',')[0]);
    expect(servers.slice(0, 2)).toEqual(['Reference', 'Ohkami']);
    expect(servers.filter(server => server === 'Rocket')).toHaveLength(4);
  });

  it('that the load generator limits are left out, with the reason', async () => {
    await open(SCALING);
    const words = (server: string) =>
      all('.worth li')
        .filter(each => each.textContent.startsWith(server))
        .map(each => each.querySelector('.words')?.textContent);
    expect(words('Ceiling')).toEqual(Array(4).fill('client-bound'));
    expect(words('may_minihttp').slice(2)).toEqual(Array(2).fill('client-bound'));
    expect(words('Astra')[1]).toBe('crashed');
    expect(main()).toContain('nothing: what one worker reached is not trusted');
  });

  it('are each compared with one worker, by what is answered or by what a request costs', async () => {
    await open(SCALING);
    expect(texts('.answers li')[2]).toMatch(
      /^8 workers: \d\.\d+× \(Rocket\) to \d\.\d+× \(Ohkami\) Goodput, of \d+ frameworks; Rocket /,
    );
    expect(texts('h3')).toEqual(
      ['2 workers', '4 workers', '8 workers', '16 workers, which share 8 cores'].map(width => `${width} ÷ one worker`),
    );
    const words = (server: string) =>
      all('.worth li')
        .find(each => each.textContent.startsWith(server))
        ?.querySelector('.words')?.textContent ?? '';
    expect(words('Reference')).toMatch(/^[12]\.\d+× \([12]\.\d+ to [12]\.\d+\)$/);
    unfold('#figures');
    expect(texts('#figures tbody th')[0]).toBe('Reference, 2 workers: Plaintext');
    expect(texts('#figures tbody tr')[0]).toMatch(/[\d,]+.req\/s.*[\d,]+.req\/s/);
    await choose('#metric', 'server_cpu_us_per_request');
    expect(words('Reference')).toMatch(/^1\.02\d?× \(.*\)$/);
  });

  it('have a table of the laws', async () => {
    await open(SCALING);
    const laws = all('tbody tr').filter(each => each.querySelector('th')?.textContent === 'Rocket');
    expect([...(laws.at(-1)?.querySelectorAll('td') ?? [])].map(({ textContent }) => textContent)).toEqual([
      '12.0\u00a0% (10.8 to 13.2)',
      '1.00\u00a0% (0.940 to 1.06)',
      '1, 2, 4, 8 workers',
    ]);
  });

  it('are of one kind of work at a time', async () => {
    await open(SCALING);
    await choose('#scenario', 'simple');
    expect(one('#scenario option[selected]').getAttribute('value')).toBe('simple');
    expect(new Set(texts('.worth li .name a'))).toEqual(new Set(['JSON body']));
  });

  it('say plainly where no run has compared them, without requesting a file that is not there', async () => {
    read.length = 0;
    await open('ratios/scaling?lane=hosted-arm64');
    expect(texts('main .notice')).toEqual(['No run on this machine has compared numbers of workers yet.']);
    expect(read).not.toContain('data/hosted-arm64/scaling.json');
  });

  it('are distinguished by their names among the kinds of work', async () => {
    await open('now?lane=self-hosted:scaling');
    expect(texts('.scenarios .title')).toContain('The cost of the framework alone: 4 workers');
  });
});
