// When two figures may be called different: where their 95 % intervals do not overlap. What drifts with the machine is judged by
// its ratio to the reference, paired within the rounds of its run, so that the machine has cancelled; what has no such ratio
// because it does not drift (memory) by the figure itself. It is a cautious rule: intervals that just touch are not told
// apart although a test made for the pair might do so.
import type { Value } from './figures';
import type { Metric } from './metrics';

export type Judgement =
  | { kind: 'apart'; size: number; low: number; high: number; better: boolean }
  | { kind: 'alike'; size: number; low: number; high: number }
  | { kind: 'unjudged'; why: string };

interface Bounded {
  middle: number;
  low: number | null;
  high: number | null;
}

const ratioOf = ({ ratio, ratioLow, ratioHigh }: Value): Bounded | null =>
  ratio === null ? null : { middle: ratio, low: ratioLow, high: ratioHigh };

const figureOf = ({ median, low, high }: Value): Bounded => ({ middle: median, low, high });

/** How `b` stands to `a`: size is b ÷ a − 1, with the extremes that the two intervals allow. */
export function judge(metric: Metric, a: Value | null, b: Value | null): Judgement {
  if (a === null || b === null) return { kind: 'unjudged', why: 'measured on one side only' };
  if (!a.trusted || !b.trusted) return { kind: 'unjudged', why: 'a figure that is not trusted is not judged' };
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
