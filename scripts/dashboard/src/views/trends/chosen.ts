// Which frameworks are drawn, and the buttons to choose them.
import type { Context } from '../../app/context';
import { isDark } from '../../app/theme';
import { type Stroke, strokeOf } from '../../charts/palette';
import type { History } from '../../data/history';
import { subjectName } from '../../data/names';
import { KINDS } from '../../data/snapshot';
import type { Subject } from '../../data/types';
import { chips } from '../../ui/line-chooser';

/** As many as there are colours. */
const FIRST = 8;
const NOT_DRAWN: Stroke = { colour: '#88929e', dash: [] };

/** All subjects in a fixed order: frameworks by name, then what they are compared with. */
function subjectsOf(history: History): Subject[] {
  const order = (subject: Subject) =>
    subject.role === 'framework' ? KINDS.findIndex(({ tier }) => tier === subject.tier) : KINDS.length;
  return history.lines
    .map(({ subject }) => subject)
    .sort((a, b) => order(a) - order(b) || subjectName(a).localeCompare(subjectName(b)));
}

/** The keys that the address names, or else the first kind's lines whose newest figures look best: a choice of lines, and no ranking. In a
 * series of drivers, that kind is the drivers. */
export function chosenOf(context: Context, history: History, more: boolean): string[] {
  const named = context.parameter('apps');
  const subjects = subjectsOf(history);
  if (named === 'all') return subjects.map(({ key }) => key);
  if (named !== null) {
    const wanted = new Set(named.split(','));
    return subjects.filter(({ key }) => wanted.has(key)).map(({ key }) => key);
  }
  const frameworks = history.lines.filter(
    ({ subject }) => subject.role === 'framework' && subject.variant === 'default',
  );
  const first = KINDS.find(({ tier }) => frameworks.some(({ subject }) => subject.tier === tier));
  const newest = frameworks
    .filter(({ subject }) => subject.tier === first?.tier)
    .flatMap(({ subject, values }) => {
      const last = values.findLast(value => value?.trusted);
      return last ? [{ key: subject.key, figure: last.ratio ?? last.median }] : [];
    })
    .sort((a, b) => (more ? b.figure - a.figure : a.figure - b.figure));
  const best = new Set(newest.slice(0, FIRST).map(({ key }) => key));
  return subjects.filter(({ key }) => best.has(key)).map(({ key }) => key);
}

export function chooser({ go }: Context, history: History, chosen: string[]): HTMLElement {
  const subjects = subjectsOf(history);
  const choose = (keys: string[]) => go({ apps: keys.length === subjects.length ? 'all' : keys.join(',') || 'none' });
  return chips(subjects, {
    name: 'app',
    legend: 'Frameworks',
    chosen,
    choose,
    strokeOf: key => (chosen.includes(key) ? strokeOf(chosen.indexOf(key), isDark()) : NOT_DRAWN),
    buttons: [
      ['apps-all', 'All', () => go({ apps: 'all' })],
      ['apps-best', 'First eight', () => go({ apps: null })],
      ['apps-none', 'None', () => choose([])],
    ],
  });
}
