// Ratios with their intervals around 1, which is no difference: a line each, on an axis that all share. All places are per cent, so that
// nothing has to be drawn again when the width changes.
import type { Drawn } from '../data/figures';
import type { Judgement } from '../data/judge';
import type { Metric } from '../data/metrics';
import { type Children, h } from '../ui/dom';
import { tick as tickText } from '../ui/format';
import { interval, ticksOf } from './interval';
import { type Scale, scaleOf } from './scale';

interface DifferenceLine {
  /** Classes, which colour it. */
  kind: string;
  name: Children;
  drawn: Drawn | null;
  words: Children;
}

interface Axis {
  /** Stands above the names. */
  head: string;
  /** What stands at `zero`. */
  same: string;
  /** Where no difference lies: 1, unless the lines are no ratios; `null` where there is no such place. */
  zero?: number | null;
  /** What stands at every other tick, unless these are differences in per cent. */
  tick?: (value: number) => string;
  /** Of several pictures that are to be looked at together. */
  scale?: Scale;
  /** Classes of the whole, which say how wide its columns are. */
  kind?: string;
}

/** Who is better is blue, who is worse orange; without a verdict an interval stands for itself, and without one the point is hollow. */
export const toneOf = ({ told, ratio }: Judgement): string => told ?? (ratio?.low == null ? 'unjudged' : 'plain');

/** Which direction of a ratio is the better one. */
export const betterSide = ({ better }: Metric): string => (better === 'less' ? '← better' : 'better →');

/** Holds all of these, and `zero`. */
export const axisOf = (all: (Drawn | null)[], zero: number | null = 1): Scale =>
  scaleOf([zero, ...all.flatMap(drawn => [drawn?.middle, drawn?.low, drawn?.high])].filter(end => end != null));

export const inTimes = (tick: number): string => `${tickText(tick)}×`;
const inPercent = (tick: number): string => `${tick > 1 ? '+' : '−'}${tickText(Math.abs(tick - 1) * 100)} %`;

export function differences(lines: DifferenceLine[], axis: Axis): HTMLElement {
  const { head, same, zero = 1, tick: textOf = inPercent, kind = '' } = axis;
  const scale =
    axis.scale ??
    axisOf(
      lines.map(({ drawn }) => drawn),
      zero,
    );
  const row = (name: Children, plot: Children, words: Children) => [
    h('span', { class: 'name' }, name),
    h('span', { class: 'plot' }, plot),
    h('span', { class: 'words' }, words),
  ];
  const label = (tick: number) => (zero !== null && Math.abs(tick - zero) < 1e-9 ? same : textOf(tick));
  return h(
    'div',
    { class: `differences ${kind}` },
    h('div', { class: 'difference axis', 'aria-hidden': 'true' }, row(head, ticksOf(scale, label), null)),
    h(
      'ol',
      {},
      lines.map(({ kind, name, drawn, words }) =>
        h('li', { class: `difference ${kind}` }, row(name, interval(scale, zero, drawn), words)),
      ),
    ),
  );
}
