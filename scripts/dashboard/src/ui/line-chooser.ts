// Which lines a chart has: their names with their colours, and the choice, which stands in the address.
import type { Stroke } from '../charts/palette';
import { subjectName } from '../data/names';
import type { Subject } from '../data/types';
import { button } from './controls';
import { h, s } from './dom';

/** A short piece of a line, next to its name. */
const swatch = ({ colour, dash }: Stroke): SVGElement =>
  s(
    'svg',
    { width: 22, height: 8, 'aria-hidden': 'true' },
    s('line', { x1: 1, x2: 21, y1: 4, y2: 4, stroke: colour, 'stroke-width': 3, 'stroke-dasharray': dash.join(' ') }),
  );

/** What each line is called; in order of the lines. */
export const keys = (lines: { name: string; stroke: Stroke; trusted: boolean }[]): HTMLElement =>
  h(
    'ul',
    { class: 'keys' },
    lines.map(({ name, stroke, trusted }) => h('li', { class: trusted ? null : 'untrusted' }, swatch(stroke), name)),
  );

interface Choice {
  /** Begins the ids. */
  name: string;
  legend: string;
  chosen: string[];
  choose: (keys: string[]) => void;
  /** So many at most. */
  most?: number;
  strokeOf?: (key: string) => Stroke;
  buttons: [id: string, label: string, keys: () => void][];
}

/** A chip for each subject, and buttons that choose several at once. */
export function chips(all: Subject[], choice: Choice): HTMLElement {
  const { name, legend, chosen, choose, most = Infinity, strokeOf, buttons } = choice;
  const on = new Set(chosen);
  const keys = all.map(({ key }) => key);
  return h(
    'fieldset',
    { class: 'legend' },
    h('legend', {}, legend),
    h(
      'div',
      { class: 'chips' },
      all.map(subject => {
        const { key } = subject;
        const [id, checked] = [`${name}-${key}`, on.has(key)];
        const disabled = on.size >= most && !checked;
        const onchange = () => choose(keys.filter(each => (each === key ? !checked : on.has(each))));
        return h(
          'label',
          { for: id, class: 'chip' },
          h('input', { type: 'checkbox', id, checked, disabled, onchange }),
          strokeOf && swatch(strokeOf(key)),
          h('span', {}, subjectName(subject)),
        );
      }),
    ),
    h(
      'div',
      { class: 'buttons' },
      buttons.map(([id, label, press]) => button(id, label, press)),
    ),
  );
}
