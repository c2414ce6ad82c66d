// When two figures may be called different: where the 95 % intervals of their ratios to the reference do not overlap. Both
// ratios are paired within the rounds of their run, so what the machine did to both sides of a ratio has cancelled. It is a
// cautious rule: intervals that just touch are not told apart although a test made for the pair might do so.

import type { Value } from './figures';
import type { Metric } from './metrics';

export type Judgement =
  | { kind: 'apart'; size: number; low: number; high: number; better: boolean }
  | { kind: 'alike'; size: number; low: number; high: number }
  | { kind: 'unjudged'; why: string };

/** How `b` stands to `a`: size is b ÷ a − 1, with the extremes that the two intervals allow. */
export function judge(metric: Metric, a: Value | null, b: Value | null): Judgement {
  if (a === null || b === null) return { kind: 'unjudged', why: 'measured on one side only' };
  if (!a.trusted || !b.trusted) return { kind: 'unjudged', why: 'a figure that is not trusted is not judged' };
  if (a.ratio === null || b.ratio === null) return { kind: 'unjudged', why: 'no ratio to the reference' };
  if (a.ratioLow === null || a.ratioHigh === null || b.ratioLow === null || b.ratioHigh === null) {
    return { kind: 'unjudged', why: 'too few trials for an interval' };
  }
  if (Math.min(a.ratio, a.ratioLow, b.ratioLow) <= 0)
    return { kind: 'unjudged', why: 'a ratio that is not above zero' };
  const size = b.ratio / a.ratio - 1;
  const low = b.ratioLow / a.ratioHigh - 1;
  const high = b.ratioHigh / a.ratioLow - 1;
  if (low <= 0 && high >= 0) return { kind: 'alike', size, low, high };
  return { kind: 'apart', size, low, high, better: metric.better === 'less' ? high < 0 : low > 0 };
}
