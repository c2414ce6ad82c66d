// The frame of a chart of curves: two axes with a grid. All places are per cent of the area, so that nothing has to be drawn again when its
// width changes.
import { type Children, h, place, s } from '../ui/dom';

/** Across and down. */
export type Place = [x: number, y: number];
type Ticks = (readonly [text: string, at: number])[];

export const percent = (figure: number): string => `${figure}%`;

export const straight = (
  kind: string,
  [x1, y1]: Place,
  [x2, y2]: Place,
  colour: string | null = null,
  dash: number[] = [],
) =>
  s('line', {
    class: kind,
    x1: percent(x1),
    y1: percent(y1),
    x2: percent(x2),
    y2: percent(y2),
    stroke: colour,
    'stroke-dasharray': dash.join(' ') || null,
  });

/** A point that says what it is. */
export const point = ([x, y]: Place, colour: string, text: string, kind: string | null = null) =>
  s(
    'circle',
    { class: kind, cx: percent(x), cy: percent(y), r: 4, fill: colour, stroke: colour },
    s('title', {}, text),
  );

export const area = (label: string, unit: string, upward: Ticks, along: Ticks, curves: Children): HTMLElement =>
  h(
    'div',
    { class: 'percentiles', role: 'img', 'aria-label': label },
    h('p', { class: 'unit', 'aria-hidden': 'true' }, unit),
    h(
      'div',
      { class: 'area', 'aria-hidden': 'true' },
      upward.map(([text, at]) => place(h('span', { class: 'upward' }, text), { top: percent(at), left: '0' })),
      along.map(([text, at]) => place(h('span', { class: 'along' }, text), { left: percent(at) })),
      s(
        'svg',
        {},
        upward.map(([, at]) => straight('grid', [0, at], [100, at])),
        along.map(([, at]) => straight('grid', [at, 0], [at, 100])),
        curves,
      ),
    ),
  );
