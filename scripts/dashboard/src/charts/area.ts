// The frame of a chart of curves: two axes with a grid. All places are per cent, so that nothing has to be drawn again when its width
// changes.
import { type Children, h, place, s } from '../ui/dom';
import type { Stroke } from './palette';

/** Across and down, in per cent of the area. */
export type Place = [x: number, y: number];

const percent = (figure: number): string => `${figure}%`;

export const percentLine = (kind: string, [x1, y1]: Place, [x2, y2]: Place, stroke: Stroke | null = null) =>
  s('line', {
    class: kind,
    x1: percent(x1),
    y1: percent(y1),
    x2: percent(x2),
    y2: percent(y2),
    stroke: stroke?.colour,
    'stroke-dasharray': stroke?.dash.join(' ') || null,
  });

/** From the lowest to the highest, wider than the line. */
export const spread = (x: number, [low, high]: [number, number], stroke: Stroke) =>
  percentLine('spread', [x, low], [x, high], { ...stroke, dash: [] });

/** A point that says what it is. */
export const point = ([x, y]: Place, { colour }: Stroke, text: string, kind: string | null = null) =>
  s('circle', { class: kind, cx: percent(x), cy: percent(y), r: 4, fill: colour, color: colour }, s('title', {}, text));

/** How far a line is moved to the side, so that the whiskers of several at one place stay distinct. */
export const shiftOf = (at: number, lines: number): number => (at - (lines - 1) / 2) * 0.55;

type Ticks = [text: string, at: number][];

interface Frame {
  label: string;
  /** Above the upright axis, and below the other. */
  units: [string, string?];
  upward: Ticks;
  along: Ticks;
}

export function area({ label, units: [above, below], upward, along }: Frame, curves: Children): HTMLElement {
  return h(
    'div',
    { class: 'percentiles', role: 'img', 'aria-label': label },
    h('p', { class: 'unit', 'aria-hidden': 'true' }, above),
    h(
      'div',
      { class: 'area', 'aria-hidden': 'true' },
      upward.map(([text, at]) => place(h('span', { class: 'upward' }, text), { top: percent(at), left: '0' })),
      along.map(([text, at]) => place(h('span', { class: 'along' }, text), { left: percent(at) })),
      s(
        'svg',
        {},
        upward.map(([, at]) => percentLine('grid', [0, at], [100, at])),
        along.map(([, at]) => percentLine('grid', [at, 0], [at, 100])),
        curves,
      ),
    ),
    below === undefined ? null : h('p', { class: 'unit below', 'aria-hidden': 'true' }, below),
  );
}
