// One question with all that is varied: its words, and a picture of the lines.
import type { Context } from '../../app/context';
import { axisOf, betterSide, differences, inTimes, toneOf } from '../../charts/differences';
import type { Scale } from '../../charts/scale';
import type { Metric } from '../../data/metrics';
import { byName, type RatioLine } from '../../data/ratios';
import { shortTitle } from '../../data/scenarios';
import { CONTROL } from '../../data/variants';
import { segmented } from '../../ui/controls';
import { h, link } from '../../ui/dom';
import { faint } from '../../ui/parts';
import type { Topic } from './groups';
import { textOf } from './sentences';

/** `isKnown` is whether a run has it, by whatever figure and kind of work. */
export function section(
  context: Context,
  { id, title, question, why }: Topic,
  lines: RatioLine[],
  metric: Metric,
  isKnown: boolean,
): HTMLElement | null {
  // Nobody asks about other variants where there are none.
  if (!isKnown && id === 'other') return null;
  // One axis for all, so that they can be looked at together.
  const scale = axisOf(lines.map(({ judgement }) => judgement.ratio));
  const missing = isKnown
    ? faint('Not measured by this figure or in this kind of work: choose another.')
    : faint('No run on this machine has measured this yet. ', link(context.to('run'), 'What runs when'));
  return h(
    'section',
    { id: `about-${id}`, class: 'question' },
    h('h2', {}, title),
    h('p', {}, h('b', {}, question), ' ', why),
    lines.length > 0 ? null : missing,
    lines.some(({ name }) => name === CONTROL) ? h('div', { class: 'controls' }, controlChoice(context)) : null,
    byName(lines).map(([name, own]) => ofName(context, name, own, scale, metric)),
  );
}

const controlChoice = ({ go, parameter }: Context): HTMLElement =>
  segmented(
    'against',
    'Compared with',
    [
      { value: 'default', label: 'the default' },
      { value: CONTROL, label: `the control, ${CONTROL}` },
    ],
    parameter('against') === CONTROL ? CONTROL : 'default',
    value => go({ against: value === CONTROL ? value : null, page: null }),
  );

function ofName({ to }: Context, name: string, lines: RatioLine[], scale: Scale, metric: Metric): HTMLElement {
  const against = lines[0]?.against ?? '';
  const address = ({ lane, scenario, run }: RatioLine) =>
    to('now', null, { lane, scenario, metric: metric.id, variant: 'all', run: run.id });
  return h(
    'section',
    {},
    h('h3', {}, name, h('span', { class: 'faint' }, ` ÷ ${against}`)),
    differences(
      lines.map(line => ({
        kind: toneOf(line.judgement),
        name: [`${line.server}, `, h('a', { href: address(line), title: line.title }, shortTitle(line.work))],
        drawn: line.judgement.ratio,
        words: textOf(line, metric),
      })),
      { head: betterSide(metric), same: against, tick: inTimes, scale, kind: 'worth' },
    ),
  );
}
