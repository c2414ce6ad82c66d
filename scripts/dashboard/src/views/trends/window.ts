// Which span of time the reader looks at: a range by name, or what was zoomed to.
import type { Context } from '../../app/context';
import type { Patch } from '../../app/route';
import type { Span } from '../../data/history';
import type { Run } from '../../data/types';
import { date } from '../../ui/format';

const DAY = 86_400_000;
const SHORTEST = 7 * DAY;

export const RANGES = [
  { value: '3m', label: '3 months', days: 92 },
  { value: '1y', label: '1 year', days: 366 },
  { value: 'all', label: 'All', days: Infinity },
];

export interface Window extends Span {
  /** The name of the range; `null` where the reader zoomed. */
  range: string | null;
  whole: Span;
}

const dayOf = (text: string | null): number | null => {
  const at = text !== null && /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isFinite(at) ? at : null;
};

export function windowOf(context: Context, runs: Run[]): Window {
  const starts = runs.map(run => run.started_at);
  const whole = { from: Math.min(...starts) - DAY, to: Math.max(...starts) + DAY };
  const [from, to] = [dayOf(context.parameter('from')), dayOf(context.parameter('to'))];
  if (from !== null && to !== null && to > from) return { from, to, range: null, whole };
  const range = RANGES.find(({ value }) => value === context.parameter('range')) ?? RANGES[1];
  const days = range?.days ?? Infinity;
  return { from: Math.max(whole.from, whole.to - days * DAY), to: whole.to, range: range?.value ?? null, whole };
}

/** A range by name that reaches back before the first figure begins there: an empty half of a chart shows nothing. */
export function begun(window: Window, first: number | undefined): Window {
  if (first === undefined || window.range === null || window.from >= first - DAY) return window;
  const from = first - DAY;
  const { whole } = window;
  return { ...window, from, whole: window.from <= whole.from ? { ...whole, from } : whole };
}

/** The address of another span, kept within what there is and no shorter than a week. */
export function zoom(window: Window, from: number, to: number): Patch {
  const length = Math.min(Math.max(to - from, SHORTEST), window.whole.to - window.whole.from);
  const middle = (from + to) / 2;
  const start = Math.max(window.whole.from, Math.min(middle - length / 2, window.whole.to - length));
  return { from: date(start), to: date(start + length + DAY - 1), range: null };
}
