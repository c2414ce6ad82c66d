// When two figures may be called different. Within a run its record says so, and nothing is judged a second time here. Between runs
// nothing does: figures lie apart where their 95 % intervals do not overlap. An interval is the ratio's to the reference, in which the
// machine has cancelled, or the figure's own where it has no such ratio because it does not drift (memory).
import type { Value } from './figures';
import type { Metric } from './metrics';
import type { Subject } from './types';

/** How one subject stands to another in the same run. */
export type Standing = { kind: 'apart'; better: boolean } | { kind: 'alike' } | { kind: 'unjudged'; why: string };

interface Ranked {
  subject: Subject;
  value: Value | null;
}

export const unjudged = (why: string): { kind: 'unjudged'; why: string } => ({ kind: 'unjudged', why });

/** Why two figures cannot be judged, whatever they are; `null` where they can. */
export function missing(a: Value | null, b: Value | null): string | null {
  if (a === null || b === null) return 'measured on one side only';
  return a.trusted && b.trusted ? null : 'a figure that is not trusted is not judged';
}

/** Whether their run found the one better: by ranges of places that have nothing in common, or although they overlap. */
const isAhead = (one: Ranked, other: Ranked): boolean =>
  (one.value?.rank?.worst ?? Infinity) < (other.value?.rank?.best ?? 0) ||
  (other.value?.behind ?? []).includes(one.subject.key);

/** How `b` stands to `a` by the pairs that their run distinguishes. */
export function standing(a: Ranked, b: Ranked): Standing {
  const why = missing(a.value, b.value);
  if (why !== null) return unjudged(why);
  if (!a.value?.rank || !b.value?.rank) return unjudged('not ranked in this run');
  if (a.subject.tier !== b.subject.tier) return unjudged('ranked among others: each kind is ranked by itself');
  if (isAhead(a, b)) return { kind: 'apart', better: false };
  return isAhead(b, a) ? { kind: 'apart', better: true } : { kind: 'alike' };
}

/** A ratio with its 95 % interval. */
export interface Bounded {
  middle: number;
  low: number;
  high: number;
}

/** How a figure stands to another: the ratio of the two, and whether it may be called a difference. */
export type Judgement =
  | ({ kind: 'apart'; better: boolean; by?: 'pairs' | 'intervals' } & Bounded)
  | ({ kind: 'alike' } & Bounded)
  /** A ratio without an interval judges nothing, and is known all the same. */
  | { kind: 'unjudged'; why: string; middle?: number };

/** An interval that leaves out 1 lies apart from it. */
export function judged(metric: Metric, bounds: Bounded): Judgement {
  const { low, high } = bounds;
  if (low <= 1 && high >= 1) return { kind: 'alike', ...bounds };
  return { kind: 'apart', better: low < 1 === (metric.better === 'less'), ...bounds };
}

const ratioOf = ({ ratio, ratio_low, ratio_high }: Value) =>
  ratio === null ? null : { middle: ratio, low: ratio_low, high: ratio_high };

/** How `b` stands to `a`: b ÷ a, with the extremes that the two intervals allow. */
export function judge(metric: Metric, one: Value | null, other: Value | null): Judgement {
  const why = missing(one, other);
  if (one === null || other === null || why !== null) return unjudged(why ?? '');
  const ratios = [ratioOf(one), ratioOf(other)] as const;
  // A ratio on one side and a figure on the other cannot be compared.
  if ((ratios[0] === null) !== (ratios[1] === null)) return unjudged('no ratio to the reference on one side');
  const figure = ({ median, low, high }: Value) => ({ middle: median, low, high });
  const [a, b] = [ratios[0] ?? figure(one), ratios[1] ?? figure(other)];
  if (a.low === null || a.high === null || b.low === null || b.high === null)
    return unjudged('too few trials for an interval');
  if (Math.min(a.middle, a.low, b.low) <= 0) return unjudged('a figure that is not above zero');
  return judged(metric, { middle: b.middle / a.middle, low: b.low / a.high, high: b.high / a.low });
}

/**
 * How a variant `b` stands to another program `a` of its run: by pairs that the run distinguishes, or else by intervals that rule out
 * “the same”. The pairs of a run say nothing of an app of another kind: there the quotient of both ratios decides, as wide as their
 * intervals allow.
 */
export function proof(metric: Metric, a: Ranked, b: Ranked): Judgement {
  const found = judge(metric, a.value, b.value);
  if (found.kind === 'unjudged') return found;
  const pair = standing(a, b);
  if (pair.kind !== 'apart') return found.kind === 'apart' ? { ...found, by: 'intervals' } : found;
  if (found.kind === 'apart' && found.better !== pair.better) return unjudged('its pairs contradict its intervals');
  return { ...found, kind: 'apart', better: pair.better, by: 'pairs' };
}
