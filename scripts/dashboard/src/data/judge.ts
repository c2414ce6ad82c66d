// How a figure stands to another: their ratio, as far as it is known, and what their run says of the two. Nothing is judged here.
import { type Drawn, drawnBy, type Value } from './figures';
import type { Metric } from './metrics';
import type { Series } from './types';

export interface Judgement {
  /** `null` where a figure is missing or does not count. */
  ratio: Drawn | null;
  /** Whether the first is better or worse by the judgement of the run; `null` where it has none. */
  told: 'good' | 'bad' | 'alike' | null;
  /** What is missing for an interval, or for all of it. */
  why: string | null;
}

export const unjudged = (why: string | null, ratio: Drawn | null = null): Judgement => ({ ratio, told: null, why });

/** A server's figure and place in a series. */
export interface Side {
  key: string;
  value: Value | null;
}

/** Why two figures have no ratio, whatever they are; `null` where they have one. */
function missing(a: Value | null, b: Value | null): string | null {
  if (a === null || b === null) return 'measured on one side only';
  return a.trusted && b.trusted ? null : 'a figure that is not trusted is not compared';
}

/** The first ÷ the second, of two runs or of what a run does not compare by pairs: as wide as the intervals of both allow. */
export function quotient(metric: Metric, one: Value | null, other: Value | null): Judgement {
  const why = missing(one, other);
  if (why !== null) return unjudged(why);
  if ((one?.ratio === null) !== (other?.ratio === null)) return unjudged('no ratio to the reference on one side');
  const basis = one?.ratio === null ? 'figure' : 'ratio';
  const [a, b] = [drawnBy(one, basis, metric), drawnBy(other, basis, metric)] as [Drawn, Drawn];
  if (b.middle <= 0) return unjudged('a figure that is not above zero');
  if (a.low === null || a.high === null || !b.low || !b.high) return unjudged('too few trials for an interval');
  return unjudged(null, { middle: a.middle / b.middle, low: a.low / b.high, high: a.high / b.low });
}

/**
 * The first ÷ the second of a run, by the rounds that both shared, and what the run says of the two in all of its work together, as
 * `bench report --pair` does.
 */
export function paired(series: Series, metric: Metric, a: Side, b: Side): Judgement {
  const columns = series.metrics.get(metric.id);
  const found = quotient(metric, a.value, b.value);
  if (found.ratio === null || columns === undefined || columns.pair_half_widths.length === 0) return found;
  // The matrices have two servers with the later one, at the place of the earlier.
  const [late = 0, early = 0] = [a, b].map(({ key }) => series.subjects.indexOf(key)).sort((x, y) => y - x);
  const half = columns.pair_half_widths[late]?.at(-1)?.[early] ?? null;
  if (half === null) return unjudged('too few shared rounds for an interval');
  const { middle } = found.ratio;
  const ratio = { middle, low: middle * Math.exp(-half), high: middle * Math.exp(half) };
  const mark = columns.pair_verdicts[late]?.[early] ?? '.';
  if (mark === '.') return unjudged('not compared by its run', ratio);
  const isLess = (mark === '<') === (series.subjects[late] === a.key);
  const better = isLess === (metric.better === 'less');
  return { ratio, told: mark === '=' ? 'alike' : better ? 'good' : 'bad', why: null };
}
