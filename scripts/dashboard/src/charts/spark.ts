// A sparkline of the last months with the direction in words: a glance, no judgement. What was found stands among the changes.
import { h, s } from '../ui/dom';
import { percent } from '../ui/format';

const WIDTH = 64;
const HEIGHT = 20;
/** Below this, a line that wobbles says nothing. */
const STILL = 0.02;

const middle = (values: number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

/** Relative change from the first three points to the last three; `null` with too few. */
export function drift(values: number[]): number | null {
  if (values.length < 4) return null;
  const before = middle(values.slice(0, 3));
  const after = middle(values.slice(-3));
  return before > 0 ? after / before - 1 : null;
}

export function spark(values: number[], better: 'less' | 'more'): Node[] {
  const moved = drift(values);
  if (moved === null) return [h('span', { class: 'none', title: 'too few runs for a trend' }, '–')];
  const low = Math.min(...values);
  // At least a tenth of the figure fills the height, or noise would look like news.
  const span = Math.max(Math.max(...values) - low, low * 0.1) || 1;
  const points = values
    .map(
      (value, at) =>
        `${((at / (values.length - 1)) * (WIDTH - 4) + 2).toFixed(1)},${(HEIGHT - 3 - ((value - low) / span) * (HEIGHT - 6)).toFixed(1)}`,
    )
    .join(' ');
  const still = Math.abs(moved) < STILL;
  const good = better === 'less' ? moved < 0 : moved > 0;
  const tone = still ? 'still' : good ? 'good' : 'bad';
  const arrow = still ? '→' : moved > 0 ? '↗' : '↘';
  const text = still ? 'steady' : percent(moved);
  return [
    s(
      'svg',
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, 'aria-hidden': 'true' },
      s('polyline', { points, class: tone }),
    ),
    h(
      'span',
      {
        class: `moved ${tone}`,
        title: `ratio to the reference over ${values.length} runs, first three against last three`,
      },
      `${arrow} ${text}`,
    ),
  ];
}
