// An invented ranking with its parts named: a picture says faster what a dot and a line mean.
import { h, s } from '../../ui/dom';

export function example(): HTMLElement {
  const row = (y: number, low: number, median: number, high: number, kind: string) => [
    s('line', { class: `whisker ${kind}`, x1: low, x2: high, y1: y, y2: y }),
    s('circle', { class: `median ${kind}`, cx: median, cy: y, r: 5.5 }),
  ];
  const label = (x: number, y: number, text: string) => s('text', { x, y, class: 'label' }, text);
  return h(
    'figure',
    { class: 'example' },
    s(
      'svg',
      {
        viewBox: '0 0 640 190',
        role: 'img',
        'aria-label':
          'Two frameworks whose intervals overlap share tier 1; a third whose interval lies apart is tier 2; a hollow grey one is not trusted',
      },
      s('text', { x: 150, y: 16, class: 'label', 'text-anchor': 'middle' }, 'reference'),
      s('rect', { class: 'tier-back', x: 20, y: 30, width: 600, height: 66, rx: 6 }),
      s('line', { class: 'zero', x1: 150, x2: 150, y1: 24, y2: 170 }),
      s('text', { x: 32, y: 68, class: 'tier-number' }, '1'),
      row(48, 120, 160, 200, 'best'),
      row(78, 140, 185, 230, 'best'),
      label(250, 67, 'intervals overlap: the same tier'),
      s('text', { x: 32, y: 124, class: 'tier-number later' }, '2'),
      row(120, 290, 330, 370, 'second'),
      label(385, 124, 'apart from the best: the next tier'),
      s('text', { x: 32, y: 160, class: 'tier-number later' }, '!'),
      row(156, 170, 215, 260, 'untrusted'),
      label(280, 160, 'not trusted: shown, never ranked'),
    ),
    h('figcaption', { class: 'faint' }, 'An invented example: the dot is the median, the line its 95 % interval.'),
  );
}
