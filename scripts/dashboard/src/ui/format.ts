// Figures, dates and sizes for people. Three significant digits: more would pretend to know what the interval does not.
import { type Basis, type Drawn, drawnBy, type OwnWork, type Value } from '../data/figures';
import type { Metric } from '../data/metrics';
import { plural } from '../data/names';
import type { Figure, Rank, Run } from '../data/types';

export { plural };

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

type Ratio = Pick<Value, 'ratio' | 'ratio_low' | 'ratio_high'>;

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

/** `1.13× (1.11 to 1.15)` */
export function ratioText(found: Ratio | null): string {
  const { ratio, between } = ratioTexts(found);
  return ratio + inBrackets(between);
}

/** The same of two figures that are no reference's. */
export const timesText = (drawn: Drawn | null): string =>
  ratioText(drawn && { ratio: drawn.middle, ratio_low: drawn.low, ratio_high: drawn.high });

/** `1`, `2–5`: the range of places. */
export const rankText = (rank: Rank | null): string =>
  rank === null ? MISSING : rank.best === rank.worst ? `${rank.best}` : `${rank.best}–${rank.worst}`;

/** The ends of an interval; empty without one. */
export const between = (low: Figure, high: Figure): string =>
  low === null || high === null ? '' : `${number(low)} to ${number(high)}`;

/** After a figure; nothing where there is nothing. */
export const inBrackets = (text: string): string => text && ` (${text})`;

/** `27 ±8`: a server's own work, and how far another cpu may move it; an end of the scale has no margin. */
export function ownWork({ own_work: own, own_work_margin: margin }: OwnWork): string {
  if (own === null) return MISSING;
  // Without the sign of a zero.
  const text = (Math.round(own) + 0).toFixed(0).replace('-', '−');
  return margin ? `${text} ±${Math.ceil(margin)}` : text;
}

/** The figure of a row, and what stands beside it: of own work the ratio with its interval, of all others the interval. */
export function rowTexts(value: Value, basis: Basis, metric: Metric): { main: string; rest: string } {
  const { ratio, between: rest } = ratioTexts(value);
  if (basis === 'own work') return { main: ownWork(value), rest: ratioText(value) };
  if (basis === 'ratio') return { main: ratio, rest };
  const drawn = drawnBy(value, basis, metric);
  return { main: figure(metric, value.median), rest: between(drawn?.low ?? null, drawn?.high ?? null) };
}

/** From the first to the last of these. */
export const span = (texts: string[]): string =>
  texts[0] === texts.at(-1) ? (texts[0] ?? MISSING) : `${texts[0]} to ${texts.at(-1)}`;

/** What the interval of a ratio covers, for one kind of work or for all of these. */
export function coverage(...all: Pick<Value, 'sessions' | 'days'>[]): string {
  const wide = all.flatMap(({ sessions, days }) => (sessions === null ? [] : [{ sessions, days: days ?? 1 }]));
  const [least] = wide.sort((a, b) => a.days - b.days || a.sessions - b.sessions);
  if (least === undefined) return 'this session only';
  const { sessions, days } = least;
  // Whoever has seen one day says nothing of another.
  const covers = `another ${days > 1 ? 'day' : 'hour'} on this kind of machine (by ${sessions} sessions of ${days > 1 ? `${days} days` : 'one day'})`;
  return wide.length === all.length
    ? covers
    : `${covers} in ${wide.length} of ${all.length} kinds of work, elsewhere this session only`;
}

/** The machines of runs, each once. */
export const machines = (runs: Iterable<Pick<Run, 'machine'>>): string =>
  listed([
    ...new Set(
      Array.from(
        runs,
        ({ machine }) => `${machine.cpu_model ?? 'an unknown cpu'}, ${plural(machine.logical_cpus, 'cpu')}`,
      ),
    ),
  ]);

/** A relative change: `+12 %`, `−3.4 %`. */
export function percent(size: number): string {
  const value = Math.abs(size * 100);
  const sign = size > 0 ? '+' : size < 0 ? '−' : '±';
  return `${sign}${value >= 9.95 ? value.toFixed(0) : value.toFixed(1)}\u00a0%`;
}

/** A ratio as a difference: `+12 %`, or `3.1×` where that reads better. */
export const difference = (ratio: number): string => (ratio >= 2.5 ? `${number(ratio)}×` : percent(ratio - 1));

/** The same with the longer side of its interval: `+12 ±3 %`. */
export function more({ middle, low, high }: Drawn): string {
  if (low === null || high === null) return percent(middle - 1);
  const half = Math.max(high - middle, middle - low) * 100;
  return percent(middle - 1).replace('\u00a0', ` ±${half.toFixed(half < 0.95 ? 1 : 0)}\u00a0`);
}

export const date = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export const moment = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** `16 Nov 2026`: for sentences. */
export function day(ms: number): string {
  const at = new Date(ms);
  return `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]} ${at.getUTCFullYear()}`;
}

/** The days of runs, from the first to the last. */
export const days = (runs: Iterable<Pick<Run, 'started_at'>>): string =>
  span(
    Array.from(runs, ({ started_at }) => started_at)
      .sort((a, b) => a - b)
      .map(day),
  );

export const bytes = (value: Figure): string => (value === null ? MISSING : `${number(value / (1024 * 1024))} MiB`);

/** `Axum, Rocket and Salvo` */
export const listed = (names: string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
