// @vitest-environment happy-dom
// What sentences say is what the rows below them show: the same figures, and nobody leads who has more than another row.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Basis, basisOf, drawnBy, type Value } from '../../src/data/figures';
import type * as Published from '../../src/data/generated/published';
import { CPU } from '../../src/data/metrics';
import { ordered, type Row } from '../../src/data/snapshot';
import type { Run, Subject } from '../../src/data/types';
import { machines, ownWork, ratioText } from '../../src/ui/format';
import { headline } from '../../src/views/now/headline';
import { history } from '../synthetic/generate';
import { type Random, random } from '../synthetic/random';
import { VALUE } from '../unit/values';
import { all, one, open, start, texts } from './page';

const OWN = /−?\d+ ±\d+/g;
const RATIO = /[\d.,]+× \([\d.,]+ to [\d.,]+\)/g;
const RUN = { machine: { cpu_model: 'Some cpu', logical_cpus: 4 } } as Run;

/** Rows of a run that may know own work or only ratios, with ranks that no figure decides alone. */
function simulated(next: Random): { rows: Row[]; basis: Basis } {
  const knowsOwnWork = next() < 0.5;
  const rows = Array.from({ length: 1 + Math.floor(next() * 12) }, (_, place): Row => {
    const ratio = 0.8 + next() * 1.6;
    const trusted = next() > 0.1;
    const best = 1 + Math.floor(next() * 5);
    const value: Value = {
      ...VALUE,
      ratio,
      ratio_low: ratio * 0.97,
      ratio_high: ratio * 1.04,
      own_work: knowsOwnWork && next() > 0.1 ? 80 * (ratio - 0.85) : null,
      own_work_margin: 8 + next() * 3,
      rank: trusted && next() > 0.1 ? { best, worst: best + 3 } : null,
      trusted,
      sessions: next() < 0.5 ? 5 : null,
    };
    return {
      subject: { name: `F${'abcdefghijkl'[place]}` } as Subject,
      version: null,
      cell: { value, verdict: null, reason: null },
    };
  });
  const basis = basisOf(rows.map(({ cell }) => cell.value));
  return { rows: ordered(rows, CPU, basis), basis };
}

it('of simulated rows the first is named, has the least, and every figure is that of a row', () => {
  const next = random(64);
  for (let world = 0; world < 500; world += 1) {
    const { rows, basis } = simulated(next);
    const said = headline(rows, 'Frameworks', CPU, basis, RUN);
    const shown = rows.flatMap(({ subject: { name }, cell: { value } }) => (value?.trusted ? [{ name, value }] : []));
    const leader = said.querySelector('b')?.textContent;
    const text = said.textContent;
    const drawn = shown.filter(({ value }) => drawnBy(value, basis, CPU) !== null);
    if (leader === undefined) {
      expect(shown.every(({ value }) => value.rank === null)).toBe(true);
      // The ends of the rows, and no cause that they contradict.
      if (drawn.length === 0) expect(text).toContain('no figure here can be trusted');
      for (const { name, value } of drawn.slice(0, 1).concat(drawn.slice(-1)))
        for (const part of [name, basis === 'own work' ? ownWork(value) : ratioText(value)])
          expect(text).toContain(part);
      continue;
    }
    const middles = shown.flatMap(({ value }) => drawnBy(value, basis, CPU)?.middle ?? []);
    const first = shown.find(({ name }) => name === leader)?.value ?? null;
    expect(drawnBy(first, basis, CPU)?.middle).toBe(Math.min(...middles));
    expect(text.includes('nobody can be called first')).toBe(first?.rank?.best !== 1);
    expect(text).not.toMatch(/tied|%/);
    const ofRows = shown.map(({ value }) => (basis === 'own work' ? ownWork(value) : ratioText(value)));
    const figures = text.match(basis === 'own work' ? OWN : RATIO) ?? [];
    expect(figures.length).toBeGreaterThan(0);
    for (const figure of figures) expect(ofRows).toContain(figure);
    // A ratio stands with its interval, and the machine is named.
    if (basis === 'ratio')
      expect([text.match(/×/g)?.length, text]).toEqual([figures.length, expect.stringContaining(machines([RUN]))]);
  }
});

const rowOf = (name: string, more: Partial<Value>): Row => ({
  subject: { name } as Subject,
  version: null,
  cell: { value: { ...VALUE, ...more }, verdict: null, reason: null },
});

it('where a run ranks nobody, the rows are said and nobody is blamed', () => {
  const rows = [1.04, 3.46, 4].map((ratio, at) =>
    rowOf(['Tako', 'Axum', 'Salvo'][at] ?? '', { ratio, ratio_low: 0.99 * ratio, ratio_high: 1.01 * ratio }),
  );
  expect(headline(rows, 'Frameworks', CPU, 'ratio', RUN).textContent).toBe(
    'Frameworks: CPU per request, 1.04× (1.03 to 1.05) to 4.00× (3.96 to 4.04) of the reference on Some cpu, 4 cpus: Tako to Salvo. This run ranks nobody here.',
  );
});

it('a rank for other sessions says so, for the figures are of this one', () => {
  const [first, wide] = [
    { best: 1, worst: 2 },
    { best: 1, worst: 19 },
  ];
  const rows = [
    rowOf('Ohkami', { median: 3.91, rank: first, sessions: 5 }),
    rowOf('xitca-web', { median: 5.05, rank: { best: 2, worst: 4 }, sessions: 5 }),
    rowOf('Actix Web', { median: 6.77, rank: wide, sessions: 5 }),
  ];
  expect(headline(rows, 'Frameworks', CPU, 'figure', RUN).textContent).toMatch(
    /^Frameworks: Ohkami has the least CPU per request, 3\.91.µs; 1 other may have as little in another session\. 1 is behind: 5\.05.µs\.$/,
  );
});

describe('on the page', () => {
  beforeAll(() => start(history({ weeks: 8, lanes: 1 })));
  const numbers = (selector: string) => texts(selector).join(' ').match(OWN) ?? [];

  it.each([
    ['now?lane=hosted-x64', '.headline', '.ranking .value b'],
    ['now?lane=hosted-x64&scenario=bcrypt', '.headline', '.ranking .value b'],
    ['compare?lane=hosted-x64&left=axum&right=salvo', '.sentences', '.difference'],
  ])('%s: own work in a sentence is that of a row', async (route, sentence, row) => {
    await open(route);
    for (const figure of numbers(sentence)) expect(numbers(row)).toContain(figure);
    for (const part of texts(sentence)) if (part.includes('%')) expect(part).toContain('cpus, with 95 %');
    expect(numbers(sentence).length > 0).toBe(!route.includes('bcrypt'));
  });

  it.each(['json', 'postgres', 'all'])(
    'overview of %s: who leads has the least, and the others as their rows say',
    async preset => {
      await open(`overview?lane=hosted-x64&for=${preset}`);
      const rows = all('.overview tbody tr').map(row => ({
        name: row.querySelector('button')?.textContent ?? '',
        mean: row.querySelector('.together')?.firstChild?.textContent ?? '',
      }));
      const size = (mean: string) => (mean === '=' ? 0 : Number.parseFloat(mean.replace('−', '-')));
      const sizes = rows.map(({ mean }) => size(mean)).filter(Number.isFinite);
      const [leader] = texts('.headline b');
      expect(rows.find(({ name }) => name === leader)?.mean).toBe(rows[0]?.mean);
      if (preset !== 'all') expect(size(rows[0]?.mean ?? '')).toBe(Math.min(...sizes));
      const rest = one('.headline .rest').textContent;
      for (const { name, mean } of rows.filter(({ name, mean }) => mean !== '=' && rest.includes(`${name} `)))
        expect(rest, name).toContain(`${name} ${mean}`);
      expect(one('.headline').textContent.includes('own work')).toBe(preset === 'json');
      if (preset !== 'json') expect(rest).toMatch(/^Against .+ on .+ cpus, with 95 %: /);
    },
  );
});

describe('a composite is over all works or not at all', () => {
  /** Takes the trust of a kind of work with a database from some. */
  const without = (scenario: string, lose: (key: string) => boolean) => {
    const files = history({ weeks: 2, lanes: 1 });
    const { figures } = files.get('data/hosted-x64/newest/database.json.gz') as Published.RunFigures;
    const of = figures.find(each => each.scenario === scenario);
    of?.subjects.forEach((key, row) => {
      const trusted = of.metrics.server_cpu_us_per_request?.trusted[row];
      if (trusted !== undefined && lose(key)) trusted[0] = 0;
    });
    return files;
  };
  const meanOfRow = (name: string) =>
    all('.overview tbody tr')
      .find(row => row.querySelector('button')?.textContent === name)
      ?.querySelector('.together')?.textContent;

  it('so who lacks one has no mean and leads nobody', async () => {
    await start(
      without('orders', key => key === 'axum-postgres'),
      'overview?lane=hosted-x64&for=postgres',
    );
    expect(meanOfRow('Axum')).toBe('–without 1 of 2');
    expect(one('.headline').textContent).toMatch(/ of the \d+ frameworks with figures for all of this/);
    expect(one('.headline').textContent).not.toContain('Axum');
  });
  it('but a kind of work that no run compared is left out, and said to be, and of too few there is no mean', async () => {
    const files = history({ weeks: 2, lanes: 1 });
    const { figures } = files.get('data/hosted-x64/newest/database.json.gz') as Published.RunFigures;
    delete figures.find(each => each.scenario === 'orders')?.metrics.server_cpu_us_per_request?.pair_half_widths;
    await start(files, 'overview?lane=hosted-x64&for=postgres');
    expect(one('.headline').textContent).toContain('No two frameworks have');
    expect(texts('.overview thead th')[1]).toBe('Weighted meanof too few');
    expect(meanOfRow('Axum')).toBe('–');
    await open('overview?lane=hosted-x64&for=all');
    const works = all('.overview thead a').length;
    expect(one('.headline').textContent).toContain(`in ${works - 1} of ${works} kinds of work`);
    expect(texts('.overview thead th')[1]).toBe(`Weighted meanof ${works - 1} of ${works}`);
  });
  it('and where nobody has all, it is said who leads in what', async () => {
    await start(
      without('orders', key => key !== 'ohkami-postgres'),
      'overview?lane=hosted-x64&for=postgres',
    );
    const text = one('.headline').textContent;
    expect(text).toMatch(
      /^No two frameworks have figures that count for all of this, so there is no mean\. Least CPU time: /,
    );
    expect(text).toContain('New order');
    expect(all('.overview .together').filter(({ textContent }) => textContent?.includes('%'))).toEqual([]);
  });
});

it('broken rules are a framework’s, whichever of its servers is looked at, and req/s names its work', async () => {
  await start(history({ weeks: 2, lanes: 1 }), 'overview?lane=hosted-x64&for=postgres');
  const ohkami = all('.overview tbody tr').find(row => row.textContent.includes('Ohkami'));
  expect(ohkami?.querySelectorAll('td')[1]?.textContent).toBe('1');
  expect(texts('.overview thead th')[3]).toBe('req/s of a coreOne row');
});

it('a name has what the history confirmed, and no mark of what a new machine did', async () => {
  await start(history({ weeks: 8, lanes: 1 }), 'now?lane=hosted-x64');
  const row = (name: string) => all('.ranking li').find(each => each.querySelector('a')?.textContent === name);
  const moved = (name: string) => row(name)?.querySelector('.breaks :is(.good, .bad)')?.textContent;
  expect(moved('Poem')).toMatch(/^\+14.% since 2 Nov 2026$/);
  expect(moved('Axum')).toMatch(/^−7\.0.% since /);
  // All got a machine that takes a fifth less.
  expect(moved('Ohkami')).toBeUndefined();
  expect(texts('.ranking .axis').join()).not.toContain('months');
});
