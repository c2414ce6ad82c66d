// @vitest-environment happy-dom
// The page of variants: what it lists, what it distinguishes, and that it says so where nothing was measured.
import { beforeAll, describe, expect, it } from 'vitest';
import { history } from '../synthetic/generate';
import { all, choose, link, main, one, open, press, start, texts, unfold } from './page';

const VIEW = 'variants?lane=hosted-x64';
beforeAll(() => start(history({ weeks: 8, lanes: 2 })));

const about = (id: string, within = '') => `#about-${id} ${within}`;
const said = (id: string) => texts(about(id, '.worth-it')).join('\n');

describe('the variants', () => {
  it('are reached from the navigation, by the question that they answer', async () => {
    await open('now?lane=hosted-x64');
    await press(link('Variants', 'nav'));
    expect(texts('.question h2')).toEqual([
      'Allocator',
      'JSON library',
      'Runtime',
      'Instructions of the cpu',
      'Set-up',
    ]);
    expect(texts(about('allocator', 'h3'))).toEqual(['mimalloc ÷ default', 'jemalloc ÷ default']);
    expect(texts(about('runtime', 'h3'))).toEqual(['io_uring ÷ default']);
    expect(texts('.provenance a')).toEqual(['Without a database, 16 Nov 2026', 'Variants, 13 Nov 2026']);
  });

  it('say for each app what was cheaper or costlier, and what is too close to call', async () => {
    await open(VIEW);
    expect(said('json')).toMatch(
      /Axum with sonic-rs was cheaper in routes-1, json-64k and validate, at 0\.\d+ to 0\.\d+×\./,
    );
    expect(said('json')).toMatch(/ntex with simd-json was costlier in /);
    expect(said('allocator')).toMatch(/with jemalloc is too close to call in /);
    expect(said('runtime')).toMatch(/^ntex with io_uring was cheaper in /);
    const lines = texts('.worth .words');
    const judged = texts('.worth li:not(.unjudged) .words').filter(text => text !== '');
    expect(judged.every(text => /^\d\.\d+× \(\d\.\d+ to \d\.\d+\), /.test(text))).toBe(true);
    for (const wanted of ['cheaper in this session, by pairs', 'costlier in this session, by ', 'too close to call'])
      expect(lines.some(text => text.includes(wanted))).toBe(true);
    // A driver is ranked among drivers: only intervals can say what io_uring is worth.
    for (const text of texts(about('runtime', '.worth li .words'))) expect(text).not.toContain('by pairs');
    expect(one('.how').textContent).toContain('the extremes that both intervals allow');
  });

  it('begin with a line for each question, which counts what is cheaper or costlier as its lines do', async () => {
    await open(VIEW);
    const [answer = ''] = texts('.answers li');
    expect(answer).toMatch(/^Is the allocator of the system good enough for a server\? mimalloc is cheaper in \d+ \(/);
    const counted = (word: string) =>
      [...answer.matchAll(new RegExp(`${word} in (\\d+)`, 'g'))].reduce((sum, [, found]) => sum + Number(found), 0);
    const lines = ['good', 'bad'].map(each => all(about('allocator', `.worth li.${each}`)).length);
    expect(['cheaper', 'costlier'].map(counted)).toEqual(lines);
  });

  it('of JSON are compared with the control by choice, and the focus stays', async () => {
    await open(VIEW);
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
    await open(VIEW);
    await choose('#scenario', 'json-64k');
    expect(location.hash).toContain('scenario=json-64k');
    const names = texts('.worth li .name');
    expect(names.length).toBeGreaterThan(0);
    expect(names.every(name => name.endsWith(', json-64k'))).toBe(true);
    // What the choice leaves out was measured all the same.
    expect(one(about('set-up')).textContent).toContain('Not measured by this figure or in this kind of work');
    await choose('#metric', 'rss_peak_bytes');
    expect(one('.answers').textContent).toContain('better in');
    expect(one('#scenario option[selected]').getAttribute('value')).toBe('json-64k');
    expect(one('.lead').textContent).toContain('takes less');
    await choose('#metric', 'goodput_rps');
    expect(one('.lead').textContent).toContain('does more');
  });

  it('have a table with the same figures', async () => {
    await open(`${VIEW}&scenario=json-64k`);
    unfold('#figures');
    expect(all('#figures tbody tr')).toHaveLength(all('.worth li').length);
    expect(texts('#figures tbody tr th')[0]).toBe('Axum, mimalloc: json-64k');
    const verdicts = texts('#figures tbody td:last-child');
    expect(verdicts.some(text => /^(cheaper|costlier) in this session, by (pairs|intervals)$/.test(text))).toBe(true);
  });

  it('lead to the ranking of their run', async () => {
    await open(VIEW);
    await press(one(about('allocator', '.worth li a')));
    expect(location.hash).toMatch(/^#\/now\?.*variants/);
    expect(all('.ranking .variant').length).toBeGreaterThan(5);
  });

  it('say plainly what no run has measured yet', async () => {
    await open('variants?lane=hosted-arm64');
    for (const id of ['allocator', 'json', 'runtime'])
      expect(one(about(id)).textContent).toContain('No run on this machine has measured this yet.');
    expect(one(about('set-up')).textContent).not.toContain('No run on this machine');
    expect(all('main .notice')).toEqual([]);
    expect(main()).not.toBe('');
  });
});
