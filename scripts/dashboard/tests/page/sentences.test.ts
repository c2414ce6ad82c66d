// @vitest-environment happy-dom
// What sentences say is what the rows below them show: the same figures, and nobody leads who has more than another row.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Basis, basisOf, drawnBy, type Value } from '../../src/data/figures';
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
    if (leader === undefined) {
      expect(shown.every(({ value }) => value.rank === null)).toBe(true);
      continue;
    }
    const middles = shown.flatMap(({ value }) => drawnBy(value, basis, CPU)?.middle ?? []);
    const first = shown.find(({ name }) => name === leader)?.value ?? null;
    expect(drawnBy(first, basis, CPU)?.middle).toBe(Math.min(...middles));
    const text = said.textContent;
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
