// The ratio of two figures: its size, its interval, its direction, and what it takes. The verdict is the run's.
import { describe, expect, it } from 'vitest';
import type { Value } from '../../src/data/figures';
import { paired, quotient } from '../../src/data/judge';
import { CPU, METRICS, type Metric } from '../../src/data/metrics';
import type { Series } from '../../src/data/types';
import { VALUE } from './values';

const value = (ratio_low: number, ratio: number, ratio_high: number, more: Partial<Value> = {}): Value => ({
  ...VALUE,
  median: ratio * 10,
  ratio,
  ratio_low,
  ratio_high,
  ...more,
});

describe('two figures of which nobody says more', () => {
  it('have a size between the extremes that both intervals allow, and no verdict, however far apart', () => {
    const { ratio, told, why } = quotient(CPU, value(1.18, 1.2, 1.22), value(0.98, 1, 1.02));
    expect([told, why]).toEqual([null, null]);
    expect(ratio?.middle).toBeCloseTo(1.2);
    expect(ratio?.low).toBeCloseTo(1.18 / 1.02);
    expect(ratio?.high).toBeCloseTo(1.22 / 0.98);
  });
  it('without ratios stand for themselves', () => {
    const memory = (low: number, median: number, high: number) =>
      value(0, 0, 0, { ratio: null, ratio_low: null, ratio_high: null, low, median, high });
    const { ratio } = quotient(METRICS.get('rss_peak_bytes') as Metric, memory(14, 15, 16), memory(8, 10, 20));
    expect(ratio).toEqual({ middle: 1.5, low: 0.7, high: 2 });
  });
  it.each([
    [null, value(1, 1, 1), 'one side'],
    [value(1, 1, 1, { trusted: false }), value(2, 2, 2), 'not trusted'],
    [value(1, 1, 1, { ratio: null }), value(2, 2, 2), 'no ratio'],
    [value(2, 2, 2), value(-1, -1, -1), 'above zero'],
    [value(1, 1, 1, { ratio_low: null }), value(2, 2, 2), 'too few trials'],
  ])('have no ratio without what it takes for its interval', (a, b, why) => {
    expect(quotient(CPU, a, b)).toEqual({ ratio: null, told: null, why: expect.stringContaining(why) });
  });
});

describe('two servers of a run', () => {
  const seriesOf = (half: number | null, mark: string) =>
    ({
      subjects: ['actix-web', 'axum'],
      metrics: new Map([[CPU.id, { pair_half_widths: [[[]], [[half]]], pair_verdicts: ['', mark] }]]),
    }) as unknown as Series;
  /** Actix Web at 0.93 of the reference, Axum at 1. */
  const found = (half: number | null, mark = '>', more: Partial<Value> = {}, swapped = false) => {
    const [actix, axum] = [
      { key: 'actix-web', value: value(0.5, 0.93, 2, more) },
      { key: 'axum', value: value(0.5, 1, 2, more) },
    ] as const;
    const series = seriesOf(half, mark);
    return swapped ? paired(series, CPU, axum, actix) : paired(series, CPU, actix, axum);
  };
  it('are told apart by their run alone, whatever the interval, and less is better', () => {
    expect(found(0.02).told).toBe('good');
    expect(found(0.02, '>', {}, true).told).toBe('bad');
    expect(found(0.08).told).toBe('good');
    expect(found(0.02, '=').told).toBe('alike');
    expect(found(0.02, '.')).toMatchObject({ told: null, why: 'not compared by its run' });
  });
  it('have the quotient, with an interval as wide as the shared rounds say', () => {
    const { ratio } = found(0.02);
    expect(ratio?.middle).toBeCloseTo(0.93, 9);
    expect(ratio?.low).toBeCloseTo(0.93 * Math.exp(-0.02), 9);
    expect(ratio?.high).toBeCloseTo(0.93 * Math.exp(0.02), 9);
  });
  it('have no ratio without shared rounds or trust', () => {
    expect(found(null)).toMatchObject({ ratio: null, why: expect.stringContaining('shared rounds') });
    expect(found(0.02, '>', { trusted: false })).toMatchObject({
      ratio: null,
      why: expect.stringContaining('trusted'),
    });
  });
  it('have the quotient of both by a figure that no run compares by pairs', () => {
    const series = { subjects: [], metrics: new Map([[CPU.id, { pair_half_widths: [] }]]) } as unknown as Series;
    const sides = [value(1, 2, 3), value(1, 1, 1)].map(value => ({ key: '', value })) as [never, never];
    expect(paired(series, CPU, ...sides)).toMatchObject({ ratio: { middle: 2, low: 1, high: 3 }, told: null });
  });
});
