// Figures, dates and sizes for people. Three significant digits: more would pretend to know what the interval does not.
import type { Metric } from '../data/metrics';
import type { Figure, Rank } from '../data/types';

export const MISSING = '–';

export function number(value: Figure): string {
  if (value === null) return MISSING;
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size >= 1e9 || size < 1e-4) return value.toExponential(2);
  const digits = Math.max(0, 2 - Math.floor(Math.log10(size)));
  const step = size >= 1000 ? 10 ** (Math.floor(Math.log10(size)) - 2) : 0;
  const rounded = step > 0 ? Math.round(value / step) * step : value;
  return rounded.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Of an axis: round already, so that no digit is there for show. */
export const tick = (value: number): string =>
  Math.abs(value) >= 1e9 ? value.toExponential(0) : value.toLocaleString('en', { maximumSignificantDigits: 4 });

export const inUnit = (metric: Metric, value: Figure): Figure => (value === null ? null : value / metric.divisor);

export const figure = (metric: Metric, value: Figure): string =>
  value === null ? MISSING : `${number(inUnit(metric, value))}\u00a0${metric.unit}`;

export function interval(metric: Metric, low: Figure, high: Figure): string {
  return low === null || high === null
    ? 'no interval'
    : `${number(inUnit(metric, low))} to ${number(inUnit(metric, high))}`;
}

interface Ratio {
  ratio: Figure;
  ratio_low: Figure;
  ratio_high: Figure;
}

/** Narrower than this share of a ratio, its interval bears a fourth digit, as with instructions. */
const NARROW = 0.01;

/** A ratio to the reference, and its interval: empty without one. Both have as many digits as the interval bears. */
export function ratioTexts(found: Ratio | null): { ratio: string; between: string } {
  const { ratio, ratio_low: low, ratio_high: high } = found ?? { ratio: null, ratio_low: null, ratio_high: null };
  if (ratio === null) return { ratio: MISSING, between: '' };
  const known = low !== null && high !== null;
  const digits = known && high > low && high - low < NARROW * ratio ? 4 : 3;
  const options = { minimumSignificantDigits: digits, maximumSignificantDigits: digits };
  const text = (value: number) => (digits === 3 ? number(value) : value.toLocaleString('en', options));
  return { ratio: `${text(ratio)}×`, between: known ? `${text(low)} to ${text(high)}` : '' };
}

/** `1`, `2–5`: the range of places. */
export const rankText = (rank: Rank | null): string =>
  rank === null ? MISSING : rank.best === rank.worst ? `${rank.best}` : `${rank.best}–${rank.worst}`;

/** The ends of an interval; empty without one. */
export const between = (low: Figure, high: Figure): string =>
  low === null || high === null ? '' : `${number(low)} to ${number(high)}`;

/** A relative change: `+12 %`, `−3.4 %`. */
export function percent(size: number): string {
  const value = Math.abs(size * 100);
  const sign = size > 0 ? '+' : size < 0 ? '−' : '±';
  return `${sign}${value >= 9.95 ? value.toFixed(0) : value.toFixed(1)}\u00a0%`;
}

/** A ratio as a difference: `+12 %`, or `3.1×` where that reads better. */
export const difference = (ratio: number): string => (ratio >= 2.5 ? `${number(ratio)}×` : percent(ratio - 1));

export const date = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export const moment = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** `16 Nov 2026`: for sentences. */
export function day(ms: number): string {
  const at = new Date(ms);
  return `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]} ${at.getUTCFullYear()}`;
}

export const bytes = (value: Figure): string => (value === null ? MISSING : `${number(value / (1024 * 1024))} MiB`);

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

/** `Axum, Rocket and Salvo` */
export const listed = (names: string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
