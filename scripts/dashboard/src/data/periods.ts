// Which files cover a span of time: months for what is near or short, finished years for what is long.
import type { Lane } from './types';

export interface Span {
  /** Milliseconds since 1970, both inclusive. */
  from: number;
  to: number;
}

const DAY = 86_400_000;
/** Months are read for spans up to this: more files would take longer than a reader waits, and points would not be seen. */
const LONGEST_IN_MONTHS = 400 * DAY;

export const monthOf = (ms: number): string => new Date(ms).toISOString().slice(0, 7);

export function bounds(period: string): Span {
  const [year = 0, month] = period.split('-').map(Number);
  const from = month === undefined ? Date.UTC(year, 0) : Date.UTC(year, month - 1);
  const to = month === undefined ? Date.UTC(year + 1, 0) : Date.UTC(year, month);
  return { from, to: to - 1 };
}

const overlaps = (period: string, span: Span) => {
  const { from, to } = bounds(period);
  return from <= span.to && to >= span.from;
};

/** All that the lane has, from its first period to its last. */
export function wholeSpan(lane: Lane): Span | null {
  const periods = [...lane.years, ...lane.months].map(bounds);
  if (periods.length === 0) return null;
  return { from: Math.min(...periods.map(p => p.from)), to: Math.max(...periods.map(p => p.to)) };
}

/** The periods to read for a span, oldest first, none of them twice: a month is not read beside its year. */
export function periodsFor(lane: Lane, span: Span): string[] {
  const months = lane.months.filter(month => overlaps(month, span));
  if (span.to - span.from <= LONGEST_IN_MONTHS) return months;
  const years = lane.years.filter(year => overlaps(year, span));
  const rest = months.filter(month => !years.includes(month.slice(0, 4)));
  return [...years, ...rest].sort((a, b) => bounds(a).from - bounds(b).from);
}
