// @vitest-environment happy-dom
// The page of widths: curves with their intervals, the same figures as a table, and that it says so where nothing was measured.
import { beforeAll, describe, expect, it } from 'vitest';
import { history } from '../synthetic/generate';
import { all, choose, link, main, one, open, press, read, start, texts, unfold } from './page';

const VIEW = 'scaling?lane=self-hosted';
beforeAll(() => start(history({ weeks: 2 })));

const keys = () => texts('.keys li');
const number = (element: Element | undefined, name: string) => Number.parseFloat(`${element?.getAttribute(name)}`);

describe('the widths', () => {
  it('are reached from the navigation, and show the reference and the first three', async () => {
    await open('now?lane=self-hosted');
    await press(link('Scaling', 'nav'));
    expect(keys().slice(0, 2)).toEqual(['Reference', 'Ohkami']);
    expect(keys()).toHaveLength(4);
    // Four widths besides one worker, of each line.
    expect(all('.speed-ups circle')).toHaveLength(16);
    expect(all('.speed-ups .spread')).toHaveLength(16);
    expect(all('.speed-ups .ideal')).toHaveLength(1);
    expect(all('.speed-ups circle.shared')).toHaveLength(4);
    expect(texts('.speed-ups .along')).toEqual(['1', '2', '4', '8', '16']);
    expect(texts('.speed-ups title')[0]).toMatch(/^Reference, 2 workers: [\d.]+× \([\d.]+ to [\d.]+\)$/);
    expect(one('.reading').textContent).toContain('share the 8 cores');
  });

  it('lie below the ideal line, the more the more is lost', async () => {
    await open(`${VIEW}&curves=reference,rocket`);
    const [reference = 0, rocket = 0] = all('.speed-ups .curve').map(curve =>
      number(curve.querySelectorAll('circle')[2], 'cy'),
    );
    expect(rocket).toBeGreaterThan(reference + 5);
    expect(reference).toBeGreaterThan(number(one('.speed-ups .ideal'), 'y2'));
  });

  it('that the load generator limits are left out, with the reason', async () => {
    await open(`${VIEW}&curves=ceiling,may-minihttp`);
    const reasons = texts('.reasons').join('\n');
    expect(reasons).toContain('with 1, 2, 4, 8, 16 workers: Ceiling');
    expect(reasons).toMatch(/with 8, 16 workers: .*may_minihttp/);
    expect(reasons).toContain('with 4 workers: Astra');
    expect(all('.speed-ups circle')).toHaveLength(2);
    expect(texts('.keys .untrusted')).toEqual(['Ceiling']);
    expect(main()).toContain('nothing: what one worker reached is not trusted');
  });

  it('have a table with the same figures, and one of the laws', async () => {
    await open(VIEW);
    expect(one('.headline').textContent).toMatch(
      /^8 workers answer [\d.]+ to [\d.]+ times as much as one: .* least\.$/,
    );
    unfold('#figures');
    const rows = (server: string) =>
      all('#figures tbody tr')
        .filter(each => each.querySelector('th')?.textContent === server)
        .map(each => [...each.querySelectorAll('td')].map(({ textContent }) => textContent));
    const [[one_worker, two_workers] = []] = rows('Reference');
    expect(one_worker).toBe('1×');
    expect(texts('.speed-ups title')[0]).toBe(`Reference, 2 workers: ${two_workers}`);
    const [speedUps, goodput, cpu] = rows('Ceiling');
    expect(speedUps).toEqual(Array(5).fill('client-bound'));
    expect(rows('Astra')[0]?.[2]).toBe('crashed');
    expect(goodput).not.toContain('–');
    expect(cpu?.[1]).toMatch(/^[\d.]+, 1\.02× \([\d.]+ to [\d.]+\)$/);
    const laws = all('tbody tr').filter(each => each.querySelector('th')?.textContent === 'Rocket');
    expect([...(laws.at(-1)?.querySelectorAll('td') ?? [])].map(({ textContent }) => textContent)).toEqual([
      '12.0\u00a0% (10.8 to 13.2)',
      '1.00\u00a0% (0.940 to 1.06)',
      '1, 2, 4, 8 workers',
    ]);
  });

  it('are chosen one by one, and by kind of work; the focus stays', async () => {
    await open(VIEW);
    one('#curve-rocket').focus();
    await press(one('#curve-rocket'));
    expect(location.hash).toContain('rocket');
    expect(document.activeElement?.id).toBe('curve-rocket');
    expect(keys()).toContain('Rocket');
    await choose('#scenario', 'simple');
    expect(one('#scenario option[selected]').getAttribute('value')).toBe('simple');
    expect(keys()).toContain('Rocket');
    await press(one('#curves-best'));
    expect(location.hash).toContain('curves=best');
    expect(keys()).toHaveLength(4);
  });

  it('say plainly where no run has compared them, without requesting a file that is not there', async () => {
    read.length = 0;
    await open('scaling?lane=hosted-arm64');
    expect(texts('main .notice')).toEqual(['No run on this machine has compared numbers of workers yet.']);
    expect(read).not.toContain('data/hosted-arm64/scaling.json');
  });

  it('are distinguished by their names among the kinds of work', async () => {
    await open('now?lane=self-hosted:scaling');
    expect(texts('.scenarios .title')).toContain('The cost of the framework alone: 4 workers');
  });
});
