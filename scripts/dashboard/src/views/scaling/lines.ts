// Which servers are drawn, what each line is called, and what must be said of those that are not.
import type { Context } from '../../app/context';
import type { SpeedUpLine } from '../../charts/speed-up';
import { BEST, FIRST, isDrawn, MOST_LINES } from '../../data/scaling';
import type { ScalingCurve, ScalingPoint } from '../../data/types';
import { verdictLabel } from '../../data/verdicts';
import { button } from '../../ui/controls';
import { h, s } from '../../ui/dom';
import { subjectName } from '../../ui/names';

/** What each line is called; in order of the lines. */
export const keys = (lines: SpeedUpLine[]): HTMLElement =>
  h(
    'ul',
    { class: 'keys' },
    lines.map(({ name, curve, stroke: { colour, dash } }) =>
      h(
        'li',
        { class: isDrawn(curve) ? null : 'untrusted' },
        s(
          'svg',
          { width: 22, height: 8, 'aria-hidden': 'true' },
          s('line', {
            x1: 1,
            x2: 21,
            y1: 4,
            y2: 4,
            stroke: colour,
            'stroke-width': 3,
            'stroke-dasharray': dash.join(' '),
          }),
        ),
        name,
      ),
    ),
  );

/** Which servers have no speed-up at which widths, by the verdict that leaves none. */
export function doubts(curves: ScalingCurve[]): HTMLElement[] {
  const said = new Map<string, string[]>();
  for (const { subject, points } of curves) {
    const lost = new Map<string, ScalingPoint[]>();
    for (const point of points.filter(({ trusted }) => !trusted)) {
      const label = verdictLabel(point.verdict);
      lost.set(label, [...(lost.get(label) ?? []), point]);
    }
    for (const [label, of] of lost) {
      const widths = of.map(({ workers }) => workers).join(', ');
      const key = `${label} with ${widths} ${widths === '1' ? 'worker' : 'workers'}`;
      said.set(key, [...(said.get(key) ?? []), subjectName(subject)]);
    }
  }
  return [...said].map(([why, names]) =>
    h('p', { class: 'reasons' }, `Without a speed-up, ${why}: ${names.join(' · ')}`),
  );
}

export function chooser({ go }: Context, curves: ScalingCurve[], chosen: string[]): HTMLElement {
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
      curves.map(({ subject }) => {
        const id = `curve-${subject.key}`;
        const checked = on.has(subject.key);
        const toggle = () =>
          choose(curves.map(each => each.subject.key).filter(key => (key === subject.key ? !checked : on.has(key))));
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
