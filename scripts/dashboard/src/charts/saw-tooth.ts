// Memory over time as a line from 0 to its own most: up when connections come, down if a server gives back what they took.
import type { KeptMemory } from '../data/types';
import { s } from '../ui/dom';

const WIDTH = 240;
const HEIGHT = 64;
/** Room above the line, so that its stroke is whole. */
const ROOM = 2;

/** `seconds` is the width of the time axis, the same for all that stand side by side. */
export function sawTooth({ looks }: KeptMemory, seconds: number, label: string): SVGElement {
  const before = looks[0]?.bytes ?? 0;
  const most = Math.max(...looks.map(({ bytes }) => bytes));
  const y = (bytes: number) => (HEIGHT - ROOM - (bytes / most) * (HEIGHT - 2 * ROOM)).toFixed(1);
  const points = looks.map(look => `${((look.seconds / seconds) * WIDTH).toFixed(1)},${y(look.bytes)}`);
  return s(
    'svg',
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': label },
    s('line', { class: 'floor', x1: 0, x2: WIDTH, y1: y(0), y2: y(0) }),
    s('line', { class: 'before', x1: 0, x2: WIDTH, y1: y(before), y2: y(before) }),
    s('polyline', { points: points.join(' ') }),
  );
}
