// All kinds of work at once: which they are, who stands where, and what they come to.
import { describe, expect, it } from 'vitest';
import type { Value } from '../../src/data/figures';
import { overview, sumOf, trustedRatio, type Work, weightsOf, weightsText } from '../../src/data/overview';
import { history } from '../synthetic/generate';
import { loading } from './loaded';

const loaded = loading(history({ weeks: 1, lanes: 1 }));

async function shown() {
  const { store, index, lane } = await loaded();
  return overview(store, index, lane('hosted-x64'));
}

it('has each kind of work once, of all kinds of runs but drivers and variants', async () => {
  const { works } = await shown();
  const of = (lane: string) => works.filter(work => work.lane === lane).map(({ scenario }) => scenario.id);
  expect(of('hosted-x64')).toContain('plaintext');
  expect(of('hosted-x64').some(id => id.includes('-r1000') || id === 'capacity')).toBe(false);
  expect(of('hosted-x64:database')).toEqual(['db', 'orders']);
  expect(of('hosted-x64:drivers')).toEqual([]);
  expect(of('hosted-x64:variants')).toEqual([]);
  expect(of('hosted-x64:services')).toEqual(['routes-1000', 'auth']);
});

it('a framework is one row, whatever its servers are called', async () => {
  const { works, rows } = await shown();
  const at = (id: string) => works.findIndex(({ scenario }) => scenario.id === id);
  const row = (name: string) => rows.filter(found => found.name === name);
  expect(row('Axum')).toHaveLength(1);
  const axum = row('Axum')[0]?.standings ?? [];
  for (const id of ['plaintext', 'db', 'routes-1000']) expect(axum[at(id)]?.value?.trusted, id).toBe(true);
  const hyper = row('hyper')[0]?.standings ?? [];
  expect(hyper[at('routes-1000')]?.notOffered).toContain('no router');
  expect(hyper[at('auth')]?.value?.ratio).toBeGreaterThan(0);
  expect(rows.some(({ subject }) => subject.tier === 'driver' || subject.role !== 'framework')).toBe(false);
});

const standing = (ratio: number | null, trusted = true) =>
  trustedRatio({
    key: 'axum',
    value: { ratio, ratio_low: ratio && ratio * 0.9, ratio_high: ratio && ratio * 1.1, trusted } as Value,
    verdict: null,
    notOffered: null,
  });

describe('the sum', () => {
  it('is the geometric mean by weight, between the means of the ends', () => {
    const sum = sumOf([standing(2), standing(8), standing(100)], [1, 1, 0]);
    expect(sum?.middle).toBeCloseTo(4, 9);
    expect(sum?.low).toBeCloseTo(3.6, 9);
    expect(sum?.high).toBeCloseTo(4.4, 9);
    expect(sum?.unknown).toEqual([]);
    expect(sumOf([standing(2), standing(8)], [2, 1])?.middle).toBeCloseTo(32 ** (1 / 3), 9);
  });
  it('says what it does not know', () => {
    const sum = sumOf([standing(2), standing(8, false), null, standing(null)], [1, 1, 1, 0]);
    expect(sum?.middle).toBeCloseTo(2, 9);
    expect(sum?.unknown).toEqual([1, 2]);
  });
  it('is nothing where nothing is known or wanted', () => {
    expect(sumOf([standing(8, false)], [1])).toBeNull();
    expect(sumOf([standing(8)], [0])).toBeNull();
  });
});

describe('weights', () => {
  const works = ['db', 'auth'].map(id => ({ scenario: { id } }) as Work);
  it('are 1 where the address says nothing, or nonsense', () => {
    for (const text of [null, '', 'db', 'db:3', 'db:-1', 'db:x', 'other:2', ':::,,']) {
      expect(weightsOf(text, works), String(text)).toEqual([1, 1]);
    }
  });
  it('come back as they were written', () => {
    for (const weights of [
      [0, 1],
      [0.5, 4],
      [1, 2],
    ]) {
      expect(weightsOf(weightsText(weights, works), works)).toEqual(weights);
    }
    expect(weightsText([1, 1], works)).toBeNull();
  });
});
