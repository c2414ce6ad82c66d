import { describe, expect, it } from 'vitest';
import { bounds, periodsFor, wholeSpan } from '../../src/data/periods';
import { monthOfRun } from '../../src/data/runs';
import type { Lane } from '../../src/data/types';

const months = (year: number) => Array.from({ length: 12 }, (_, at) => `${year}-${String(at + 1).padStart(2, '0')}`);
const lane: Lane = {
  name: 'x',
  place: 'x',
  partial: [],
  runs: 0,
  newest: null,
  months: [...months(2024), ...months(2025), '2026-01'],
  years: ['2024', '2025'],
};

describe('the files of a span', () => {
  it('are months for a short one', () => {
    expect(periodsFor(lane, { from: Date.UTC(2024, 2, 5), to: Date.UTC(2024, 4, 1) })).toEqual([
      '2024-03',
      '2024-04',
      '2024-05',
    ]);
  });
  it('are years for a long one, and months for what is in no finished year', () => {
    const whole = wholeSpan(lane);
    if (whole === null) throw new Error('no span');
    expect(periodsFor(lane, whole)).toEqual(['2024', '2025', '2026-01']);
  });
  it('are none outside', () => {
    expect(periodsFor(lane, { from: Date.UTC(2030, 0), to: Date.UTC(2030, 1) })).toEqual([]);
  });
});

it('bounds a month and a year', () => {
  expect(bounds('2026-02')).toEqual({ from: Date.UTC(2026, 1), to: Date.UTC(2026, 2) - 1 });
  expect(bounds('2025')).toEqual({ from: Date.UTC(2025, 0), to: Date.UTC(2026, 0) - 1 });
});

it('reads the month from a run’s id', () => {
  expect(monthOfRun('20261116T041700Z-3bc')).toBe('2026-11');
  expect(monthOfRun('other')).toBeNull();
});
