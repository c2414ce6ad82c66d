// Lets the reader pick the lines of a chart of curves; the choice stands in the address.
import type { Context } from '../app/context';
import { BEST, FIRST, MOST_LINES } from '../data/chosen-lines';
import { subjectName } from '../data/names';
import type { Subject } from '../data/types';
import { button } from './controls';
import { h } from './dom';

export function lineChooser({ go }: Context, all: Subject[], chosen: string[]): HTMLElement {
  const on = new Set(chosen);
  const choose = (keys: string[]) => go({ curves: keys.join(',') || 'none' });
  const full = chosen.length >= MOST_LINES;
  return h(
    'fieldset',
    { class: 'legend' },
    h('legend', {}, `Lines, ${MOST_LINES} at most`),
    h(
      'div',
      { class: 'chips' },
      all.map(subject => {
        const id = `curve-${subject.key}`;
        const checked = on.has(subject.key);
        const toggle = () =>
          choose(all.map(({ key }) => key).filter(key => (key === subject.key ? !checked : on.has(key))));
        return h(
          'label',
          { for: id, class: 'chip' },
          h('input', { type: 'checkbox', id, checked, disabled: full && !checked, onchange: toggle }),
          h('span', {}, subjectName(subject)),
        );
      }),
    ),
    h(
      'div',
      { class: 'buttons' },
      button('curves-best', `Reference and first ${FIRST}`, () => go({ curves: BEST })),
    ),
  );
}
