// @vitest-environment happy-dom
// The curves of latency: there where a rate is fixed and nowhere else, a few lines and those that the reader picks, and no record is read
// for a view that does not show it.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { history } from '../synthetic/generate';
import { all, one, open, press, read, start, texts, unfold } from './page';

const OPEN = 'now?lane=hosted-x64&scenario=hello-r10000';
const files = history({ weeks: 8, lanes: 1 });

const drawn = () => texts('.keys li');
/** Which records the page has read. */
const records = () => read.filter(path => /^runs\/[a-z0-9-]+\/\d{8}T[^/]+\.json\.gz$/.test(path));
const disabled = (selector: string) => one(selector).hasAttribute('disabled');

describe('what is read', () => {
  beforeEach(() => start(files));

  it('is no record in a closed loop, which has no curve', async () => {
    await open('now?lane=hosted-x64&scenario=hello&metric=latency_p50_ms');
    expect(all('.spread-of-latency, .percentiles')).toEqual([]);
    expect(texts('.reading')[0]).toContain(
      'In a closed loop latency is the length of the queue, not the speed of the server: there is no curve of it.',
    );
    expect(records()).toEqual([]);
  });

  it('is one record at a fixed rate, for the curves of the reference and the first three, and a table of the same', async () => {
    await open(OPEN);
    expect(records()).toHaveLength(1);
    const names = drawn();
    expect(names).toHaveLength(4);
    expect(names[0]).toBe('Reference');
    expect(all('.curve')).toHaveLength(4);
    expect(all('.curve circle')).toHaveLength(4 * 4);
    expect(all('.curve .spread')).toHaveLength(4 * 4);
    unfold('#percentiles');
    expect(texts('#percentiles thead th')).toEqual(['Framework', 'p50', 'p90', 'p95', 'p99', 'Rounds', 'Verdict']);
    expect(texts('#percentiles tbody th')).toEqual(names);
    expect(one('#percentiles tbody td').textContent).toMatch(/^0\.\d+ \(0\.\d+ to 0\.\d+\)$/);
  });

  it('is the record of what the page of a framework leads to: its variants next to the reference', async () => {
    await open('framework/axum?lane=hosted-x64');
    expect(records()).toEqual([]);
    const [last] = all('main a')
      .filter(each => each.getAttribute('href')?.includes('curves='))
      .slice(-2);
    await press(last as HTMLElement);
    expect(location.hash).toContain('scenario=hello-r1000');
    expect(all('.percentiles')).toHaveLength(1);
    expect(records()).toHaveLength(1);
    expect(drawn()[0]).toBe('Reference');
    expect(drawn().slice(1).toSorted()).toEqual(['Axum', 'Axum, current-thread']);
  });
});

describe('a fixed rate', () => {
  beforeAll(() => start(files));

  it('says what the figures stand for', async () => {
    await open(OPEN);
    const text = one('.spread-of-latency .reading').textContent;
    expect(text).toContain('got 10,000 requests a second');
    expect(text).toContain('of 6 rounds, that holds the true median with 96.9\u00a0%');
    expect(text).toContain('A round has too few requests for p99.9.');
    await open('now?lane=hosted-x64&scenario=hello-r1000&metric=latency_p99_ms');
    expect(one('.spread-of-latency .reading').textContent).toContain('too few requests for p95, p99 and p99.9.');
    expect(one('.ranking ~ .reading').textContent).toContain('Too few requests for p99.');
  });

  it('rises from each percentile to the next', async () => {
    await open(`${OPEN}&curves=axum`);
    const places = (name: string) => all('.curve circle').map(each => Number.parseFloat(`${each.getAttribute(name)}`));
    const [across, down] = [places('cx'), places('cy')];
    expect(across).toEqual([...across].sort((a, b) => a - b));
    expect(down).toEqual([...down].sort((a, b) => b - a));
    expect([across[0], across.at(-1)]).toEqual([0, expect.closeTo(62.95, 1)]);
  });

  it('adds and drops lines, and keeps the focus', async () => {
    await open(OPEN);
    const before = drawn();
    one('#curve-rocket').focus();
    await press(one('#curve-rocket'));
    expect(location.hash).toContain('rocket');
    expect(drawn()).toEqual([...before, 'Rocket']);
    expect(document.activeElement?.id).toBe('curve-rocket');
    await press(one('#curve-rocket'));
    expect(drawn()).toEqual(before);
    one('#curves-best').focus();
    await press(one('#curves-best'));
    expect(location.hash).toContain('curves=best');
    expect(drawn()).toEqual(before);
    expect(document.activeElement?.id).toBe('curves-best');
  });

  it('takes no more lines than can be told apart', async () => {
    const eight = ['reference', 'ohkami', 'axum', 'warp', 'viz', 'ntex', 'poem', 'salvo'];
    await open(`${OPEN}&curves=${eight.join(',')}`);
    expect(all('.curve')).toHaveLength(8);
    expect(['#curve-rocket', '#curve-axum'].map(disabled)).toEqual([true, false]);
    await press(one('#curve-axum'));
    expect(disabled('#curve-rocket')).toBe(false);
  });

  it('marks what is not trusted, with the reason, and says whom it does not have', async () => {
    await open(`${OPEN}&curves=axum,tide,astra`);
    expect(all('.curve')).toHaveLength(2);
    expect(all('.curve.untrusted')).toHaveLength(1);
    const reasons = texts('.spread-of-latency .reasons').join(' ');
    expect(reasons).toContain('Grey, because not trusted: Tide (client-bound');
    expect(reasons).toContain('Without percentiles: Astra (contract failed');
    // They come last in the ranking, and not by themselves among the first few.
    await open(OPEN);
    expect(drawn()).not.toContain('Tide');
  });

  it('says so where the record is not there', async () => {
    // The history keeps the records of the newest three runs.
    await open(`${OPEN}&run=20261026T041700Z-43c`);
    expect(one('.spread-of-latency').textContent).toContain('The record of this run is not published here');
    expect(all('.spread-of-latency .percentiles')).toEqual([]);
    expect(all('.ranking')).toHaveLength(1);
  });

  it('has no line where none is chosen', async () => {
    await open(`${OPEN}&curves=none`);
    expect(all('.percentiles')).toEqual([]);
    expect(one('.spread-of-latency').textContent).toContain('Nothing is chosen that has percentiles.');
  });

  it('is nowhere on the page of a framework without one', async () => {
    await open('framework/axum-services?lane=hosted-x64:services');
    expect(one('h1').textContent).toBe('Axum');
    expect(all('main a[href*="curves="]')).toEqual([]);
  });
});
