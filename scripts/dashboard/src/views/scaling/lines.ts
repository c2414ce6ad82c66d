// Which servers are drawn, what each line is called, and what must be said of those that are not.
import type { SpeedUpLine } from '../../charts/speed-up';
import { subjectName } from '../../data/names';
import { isDrawn } from '../../data/scaling';
import type { ScalingCurve, ScalingPoint } from '../../data/types';
import { verdictLabel } from '../../data/verdicts';
import { h } from '../../ui/dom';
import { swatch } from '../../ui/swatch';

/** What each line is called; in order of the lines. */
export const keys = (lines: SpeedUpLine[]): HTMLElement =>
  h(
    'ul',
    { class: 'keys' },
    lines.map(({ name, curve, stroke }) =>
      h('li', { class: isDrawn(curve) ? null : 'untrusted' }, swatch(stroke), name),
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
