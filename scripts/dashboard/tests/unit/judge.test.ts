import { describe, expect, it } from 'vitest';
import type { Value } from '../../src/data/figures';
import { judge, standing } from '../../src/data/judge';
import { CPU, METRICS } from '../../src/data/metrics';
import type { Subject, Tier } from '../../src/data/types';
import { VALUE } from './values';

const value = (ratio_low: number, ratio: number, ratio_high: number, more: Partial<Value> = {}): Value => ({
  ...VALUE,
  median: ratio * 10,
  ratio,
  ratio_low,
  ratio_high,
  ...more,
});

describe('two figures', () => {
  it('that overlap cannot be told apart', () => {
    expect(judge(CPU, value(0.9, 1, 1.1), value(1.05, 1.2, 1.3)).kind).toBe('alike');
  });
  it('that touch cannot be told apart', () => {
    expect(judge(CPU, value(0.9, 1, 1.1), value(1.1, 1.2, 1.3)).kind).toBe('alike');
  });
  it('that lie apart have a size between the extremes', () => {
    const found = judge(CPU, value(0.98, 1, 1.02), value(1.18, 1.2, 1.22));
    expect(found).toMatchObject({ kind: 'apart', better: false });
    if (found.kind !== 'apart') return;
    expect(found.middle).toBeCloseTo(1.2);
    expect(found.low).toBeCloseTo(1.18 / 1.02);
    expect(found.high).toBeCloseTo(1.22 / 0.98);
  });
  it('are better or worse by the direction of their metric', () => {
    const goodput = METRICS.get('goodput_rps');
    if (!goodput) throw new Error('no goodput');
    expect(judge(goodput, value(0.98, 1, 1.02), value(1.18, 1.2, 1.22))).toMatchObject({ better: true });
  });
  it('without ratios are judged by themselves', () => {
    const memory = (low: number, median: number, high: number) =>
      value(0, 0, 0, { ratio: null, ratio_low: null, ratio_high: null, low, median, high });
    expect(judge(CPU, memory(9, 10, 11), memory(14, 15, 16))).toMatchObject({
      kind: 'apart',
      middle: 1.5,
      better: false,
    });
    expect(judge(CPU, memory(9, 10, 11), memory(10, 11, 12)).kind).toBe('alike');
  });
  it.each([
    [null, value(1, 1, 1), 'one side'],
    [value(1, 1, 1, { trusted: false }), value(2, 2, 2), 'not trusted'],
    [value(1, 1, 1, { ratio_low: null }), value(2, 2, 2), 'too few trials'],
    [value(1, 1, 1, { ratio: null }), value(2, 2, 2), 'no ratio'],
    [value(-1, -1, -1), value(2, 2, 2), 'above zero'],
  ])('are not judged without what it takes', (a, b, why) => {
    expect(judge(CPU, a, b)).toMatchObject({ kind: 'unjudged', why: expect.stringContaining(why) });
  });
});

describe('two subjects of one run', () => {
  const ranked = (key: string, best: number, worst: number, more: Partial<Value> = {}, tier: Tier = 'maintained') => ({
    subject: { key, tier } as Subject,
    value: value(0.9, 1, 1.1, { rank: { best, worst }, ...more }),
  });
  const [first, last] = [ranked('axum', 1, 2), ranked('rocket', 3, 5)];
  it('stand as their ranks say, whatever their intervals look like', () => {
    expect(standing(first, last)).toEqual({ kind: 'apart', better: false });
    expect(standing(last, first)).toEqual({ kind: 'apart', better: true });
  });
  it('stand as their run distinguishes them although their ranges overlap', () => {
    const overlapping = ranked('ntex', 2, 4, { behind: ['axum'] });
    expect(standing(first, overlapping)).toEqual({ kind: 'apart', better: false });
    expect(standing(overlapping, first)).toEqual({ kind: 'apart', better: true });
  });
  it('cannot be told apart otherwise', () => {
    const other = ranked('ntex', 3, 5, { behind: ['axum'] });
    expect(standing(last, other).kind).toBe('alike');
    expect(standing(other, last).kind).toBe('alike');
  });
  it.each([
    [{ subject: first.subject, value: null }, last, 'one side'],
    [ranked('axum', 1, 1, { trusted: false }), last, 'not trusted'],
    [ranked('axum', 1, 1, { rank: null }), last, 'not ranked'],
    [first, ranked('hyper', 2, 2, {}, 'engine'), 'ranked among others'],
  ])('are not judged without ranks among the same', (a, b, why) => {
    expect(standing(a, b)).toMatchObject({ kind: 'unjudged', why: expect.stringContaining(why) });
  });
});
