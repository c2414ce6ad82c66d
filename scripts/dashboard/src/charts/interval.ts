// A figure with its interval on an axis that it shares with others. All places are per cent, so that nothing has to be drawn again when the
// width changes.
import type { Drawn } from '../data/figures';
import { h, place, s } from '../ui/dom';
import type { Scale } from './scale';

export const ticksOf = ({ ticks, percent }: Scale, textOf: (tick: number) => string): HTMLElement[] =>
  ticks.map(tick => place(h('span', { class: 'tick' }, textOf(tick)), { left: `${percent(tick)}%` }));

/** On which side of the scale a figure lies that it does not hold. */
export const beyond = (scale: Scale, figure: number): 'left' | 'right' | null =>
  scale.percent(figure) > 100 ? 'right' : scale.percent(figure) < 0 ? 'left' : null;

/** `zero` is the place that all are compared with, if there is one. */
export function interval(scale: Scale, zero: number | null, drawn: Drawn | null, radius = 4.5): SVGElement {
  const x = (figure: number) => `${Math.min(100, Math.max(0, scale.percent(figure)))}%`;
  const upright = (at: number, kind: string) => s('line', { class: kind, x1: x(at), x2: x(at), y1: 0, y2: '100%' });
  return s(
    'svg',
    { 'aria-hidden': 'true' },
    scale.ticks.map(tick => upright(tick, 'grid')),
    zero === null ? null : upright(zero, 'zero'),
    drawn === null || drawn.low === null || drawn.high === null
      ? null
      : s('line', { class: 'whisker', x1: x(drawn.low), x2: x(drawn.high), y1: '50%', y2: '50%' }),
    drawn === null || beyond(scale, drawn.middle) !== null
      ? null
      : s('circle', { class: 'median', cx: x(drawn.middle), cy: '50%', r: radius }),
  );
}
