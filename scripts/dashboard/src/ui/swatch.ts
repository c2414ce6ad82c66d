// A short piece of a line, next to its name.
import type { Stroke } from '../charts/palette';
import { s } from './dom';

export const swatch = ({ colour, dash }: Stroke): SVGElement =>
  s(
    'svg',
    { width: 22, height: 8, 'aria-hidden': 'true' },
    s('line', { x1: 1, x2: 21, y1: 4, y2: 4, stroke: colour, 'stroke-width': 3, 'stroke-dasharray': dash.join(' ') }),
  );
