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

const UNMEASURED = 'measured on one side only';
const UNTRUSTED = 'a figure that is not trusted is not judged';

/** Whether their run found the one better: by ranges of places that have nothing in common, or although they overlap. */
const isAhead = (one: Ranked, other: Ranked): boolean =>
  (one.value?.rank?.worst ?? Infinity) < (other.value?.rank?.best ?? 0) ||
  (other.value?.behind ?? []).includes(one.subject.key);

/** How `b` stands to `a` by the pairs that their run distinguishes. */
export function standing(a: Ranked, b: Ranked): Standing {
  const unjudged = (why: string): Standing => ({ kind: 'unjudged', why });
  if (a.value === null || b.value === null) return unjudged(UNMEASURED);
  if (!a.value.trusted || !b.value.trusted) return unjudged(UNTRUSTED);
  if (a.value.rank === null || b.value.rank === null) return unjudged('not ranked in this run');
  if (a.subject.tier !== b.subject.tier) return unjudged('ranked among others: each kind is ranked by itself');
  if (isAhead(a, b)) return { kind: 'apart', better: false };
  return isAhead(b, a) ? { kind: 'apart', better: true } : { kind: 'alike' };
}

/** How a figure stands to the same one in another run. */
export type Judgement =
  | { kind: 'apart'; size: number; low: number; high: number; better: boolean }
  | { kind: 'alike'; size: number; low: number; high: number }
  | { kind: 'unjudged'; why: string };

interface Bounded {
  middle: number;
  low: number | null;
  high: number | null;
}

const ratioOf = ({ ratio, ratio_low, ratio_high }: Value): Bounded | null =>
  ratio === null ? null : { middle: ratio, low: ratio_low, high: ratio_high };

const figureOf = ({ median, low, high }: Value): Bounded => ({ middle: median, low, high });

/** How `b` stands to `a`: size is b ÷ a − 1, with the extremes that the two intervals allow. */
export function judge(metric: Metric, a: Value | null, b: Value | null): Judgement {
  if (a === null || b === null) return { kind: 'unjudged', why: UNMEASURED };
  if (!a.trusted || !b.trusted) return { kind: 'unjudged', why: UNTRUSTED };
  const ratios = [ratioOf(a), ratioOf(b)] as const;
  // A ratio on one side and a figure on the other cannot be compared.
  if ((ratios[0] === null) !== (ratios[1] === null))
    return { kind: 'unjudged', why: 'no ratio to the reference on one side' };
  return judgeBounded(metric, ratios[0] ?? figureOf(a), ratios[1] ?? figureOf(b));
}

function judgeBounded(metric: Metric, a: Bounded, b: Bounded): Judgement {
  if (a.low === null || a.high === null || b.low === null || b.high === null) {
    return { kind: 'unjudged', why: 'too few trials for an interval' };
  }
  if (Math.min(a.middle, a.low, b.low) <= 0) return { kind: 'unjudged', why: 'a figure that is not above zero' };
  const size = b.middle / a.middle - 1;
  const low = b.low / a.high - 1;
  const high = b.high / a.low - 1;
  if (low <= 0 && high >= 0) return { kind: 'alike', size, low, high };
  return { kind: 'apart', size, low, high, better: metric.better === 'less' ? high < 0 : low > 0 };
}

interface Bounds {
  /** b ÷ a, with the extremes that both intervals allow. */
  ratio: number;
  low: number;
  high: number;
}

/** How a variant stands to another program of its run: by pairs that it distinguishes, or else by intervals that rule out “the same”. */
export type Proof =
  | ({ kind: 'apart'; better: boolean; by: 'pairs' | 'intervals' } & Bounds)
  | ({ kind: 'alike' } & Bounds)
  | { kind: 'unjudged'; why: string };

/**
 * How `b` stands to `a`. The pairs of a run say nothing of an app of another kind: there the
 * quotient of both ratios decides, as wide as their intervals allow.
 */
export function proof(metric: Metric, a: Ranked, b: Ranked): Proof {
  const judged = judge(metric, a.value, b.value);
  if (judged.kind === 'unjudged') return judged;
  const bounds = { ratio: 1 + judged.size, low: 1 + judged.low, high: 1 + judged.high };
  const pair = standing(a, b);
  if (pair.kind !== 'apart')
    return judged.kind === 'apart'
      ? { kind: 'apart', better: judged.better, by: 'intervals', ...bounds }
      : { kind: 'alike', ...bounds };
  if (judged.kind === 'apart' && judged.better !== pair.better)
    return { kind: 'unjudged', why: 'its pairs contradict its intervals' };
  return { kind: 'apart', better: pair.better, by: 'pairs', ...bounds };
}
