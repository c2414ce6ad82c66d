// How latency is spread at a fixed rate: a curve for the reference, the first few of the ranking, and whom the reader adds.
import type { Context } from '../../app/context';
import { JUDGED_BY } from '../../data/percentiles';
import { type Row, rowsOf, type Snapshot } from '../../data/snapshot';
import { button } from '../../ui/controls';
import { h } from '../../ui/dom';
import { subjectName } from '../../ui/names';
import { curvesIn, percentiles } from '../../ui/percentiles';
import { BEST, chosenOf, FIRST, inOrder, MOST_LINES } from './lines';

export async function percentilesOf(context: Context, state: Snapshot): Promise<HTMLElement[]> {
  const curves = await curvesIn(context, state);
  if (typeof curves === 'string') return [h('p', { class: 'faint' }, curves)];
  const rows = inOrder(rowsOf(state, JUDGED_BY));
  const chosen = chosenOf(context.parameter('curves'), rows);
  return [
    ...percentiles(
      state,
      rows.filter(({ subject }) => chosen.includes(subject.key)),
      curves,
    ),
    chooser(context, rows, chosen),
  ];
}

function chooser({ go }: Context, rows: Row[], chosen: string[]): HTMLElement {
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
      rows.map(({ subject }) => {
        const id = `curve-${subject.key}`;
        const checked = on.has(subject.key);
        const toggle = () =>
          choose(rows.map(row => row.subject.key).filter(key => (key === subject.key ? !checked : on.has(key))));
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
