// One question with all its variants: its words, a sentence for each app, and the picture.
import type { Context } from '../../app/context';
import type { Scale } from '../../charts/scale';
import type { Metric } from '../../data/metrics';
import { CONTROL, type VariantPair } from '../../data/variants';
import { segmented } from '../../ui/controls';
import { h } from '../../ui/dom';
import { axisOf, picture } from './picture';
import type { QUESTIONS } from './questions';
import { sentence, toneOf } from './sentences';

interface Choice {
  metric: Metric;
  /** Whether JSON libraries are compared with their control. */
  control: boolean;
  /** Whether a run has it, by whatever figure and kind of work. */
  isKnown: boolean;
}

export function section(
  context: Context,
  { id, title, question, why }: (typeof QUESTIONS)[number],
  pairs: VariantPair[],
  { metric, control, isKnown }: Choice,
): HTMLElement | null {
  // Nobody asks about other variants where there are none.
  if (!isKnown && id === 'other') return null;
  const scale = axisOf(pairs);
  const names = [...new Set(pairs.map(({ variant }) => variant.name))];
  return h(
    'section',
    { id: `about-${id}`, class: 'question' },
    h('h2', {}, title),
    h('p', {}, h('b', {}, question), ' ', why),
    pairs.length > 0
      ? null
      : isKnown
        ? h('p', { class: 'faint' }, 'Not measured by this figure or in this kind of work: choose another.')
        : h(
            'p',
            { class: 'faint' },
            'No run on this machine has measured this yet. ',
            h('a', { href: context.to('run') }, 'What runs when'),
          ),
    pairs.some(({ variant }) => variant.control !== null)
      ? h(
          'div',
          { class: 'controls' },
          segmented(
            'against',
            'Compared with',
            [
              { value: 'default', label: 'the default' },
              { value: CONTROL, label: `the control, ${CONTROL}` },
            ],
            control ? CONTROL : 'default',
            value => context.go({ against: value === CONTROL ? value : null, page: null }),
          ),
        )
      : null,
    names.map(name => ofVariant(context, name, pairs, scale, metric, control)),
  );
}

function ofVariant(
  context: Context,
  name: string,
  pairs: VariantPair[],
  scale: Scale,
  metric: Metric,
  control: boolean,
): HTMLElement {
  const own = pairs.filter(({ variant }) => variant.name === name);
  const against =
    control && own.some(({ variant }) => variant.control !== null)
      ? CONTROL
      : (own[0]?.variant.base.variant ?? 'default');
  const apps = [...new Map(own.map(({ variant }) => [variant.subject.key, variant])).values()];
  const tone = toneOf(metric);
  return h(
    'section',
    {},
    h('h3', {}, name, h('span', { class: 'faint' }, ` ÷ ${against}`)),
    apps.map(({ base, subject }) =>
      h(
        'p',
        { class: 'worth-it' },
        h('b', {}, base.name),
        ` with ${name} `,
        sentence(
          own.filter(({ variant }) => variant.subject.key === subject.key),
          tone,
        ),
      ),
    ),
    picture(context, own, scale, metric, against),
  );
}
