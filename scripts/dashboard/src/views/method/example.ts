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
          'Two frameworks that nobody was ahead of have the ranks 1 to 2; a third that both were ahead of has rank 3; a hollow grey one is not trusted and has no rank',
      },
      s('text', { x: 170, y: 16, class: 'label', 'text-anchor': 'middle' }, 'reference'),
      s('rect', { class: 'rank-back', x: 20, y: 30, width: 600, height: 66, rx: 6 }),
      s('line', { class: 'zero', x1: 170, x2: 170, y1: 24, y2: 170 }),
      s('text', { x: 32, y: 53, class: 'rank-range' }, '1–2'),
      s('text', { x: 32, y: 83, class: 'rank-range' }, '1–2'),
      row(48, 140, 180, 220, 'best'),
      row(78, 160, 205, 250, 'best'),
      label(270, 67, 'either may be the best'),
      s('text', { x: 32, y: 124, class: 'rank-range later' }, '3'),
      row(120, 310, 350, 390, ''),
      label(405, 124, 'both were better'),
      row(156, 190, 235, 280, 'untrusted'),
      label(300, 160, 'not trusted: shown, never ranked'),
    ),
    h(
      'figcaption',
      { class: 'faint' },
      'An invented example: the dot is the ratio to the reference, the line its 95 % interval.',
    ),
  );
}
