// The span that Trends shows.
import { describe, expect, it } from 'vitest';
import { begun, type Window } from '../../src/views/trends/window';

const DAY = 86_400_000;
const day = (number: number) => Date.UTC(2026, 10, number);
const month: Window = { from: day(1), to: day(23), range: '1y', whole: { from: day(1), to: day(23) } };

describe('a span begins', () => {
  it('a day before the first figure, where nothing is older', () => {
    const window = begun(month, day(21));
    expect(window).toEqual({ ...month, from: day(20), whole: { from: day(20), to: day(23) } });
    expect(window.from).toBe(day(21) - DAY);
  });

  it('there too where the lane is older, and the way back stays', () => {
    const whole = { from: day(1) - 400 * DAY, to: day(23) };
    expect(begun({ ...month, whole }, day(21))).toEqual({ ...month, from: day(20), whole });
  });

  it('where the reader zoomed to, where figures reach back further, and where there is none', () => {
    const zoomed = { ...month, range: null };
    expect(begun(zoomed, day(21))).toBe(zoomed);
    expect(begun(month, day(1))).toBe(month);
    expect(begun(month, undefined)).toBe(month);
  });
});
