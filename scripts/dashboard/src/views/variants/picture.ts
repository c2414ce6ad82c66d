// The ratios of one variant to what it is compared with: a line for each app and kind of work, on the axis of its question.
import type { Context } from '../../app/context';
import { type Scale, scaleOf } from '../../charts/scale';
import type { Metric } from '../../data/metrics';
import type { VariantPair } from '../../data/variants';
import { h, place, s } from '../../ui/dom';
import { tick as tickText } from '../../ui/format';
import { toneOf as colourOf } from '../compare/result';
import { lineWords, toneOf } from './sentences';

/** One axis for all variants of a question, so that they can be looked at together. */
export const axisOf = (pairs: VariantPair[]): Scale =>
  scaleOf(
    [1, ...pairs.flatMap(({ judgement }) => (judgement.kind === 'unjudged' ? [] : [judgement.low, judgement.high]))],
    6,
  );

export function picture(
  context: Context,
  pairs: VariantPair[],
  scale: Scale,
  metric: Metric,
  against: string,
): HTMLElement {
  const x = (ratio: number) => `${scale.percent(ratio)}%`;
  const tone = toneOf(metric);
  return h(
    'div',
    { class: 'differences worth' },
    h(
      'div',
      { class: 'difference axis', 'aria-hidden': 'true' },
      h('span', { class: 'name' }, metric.better === 'less' ? '← better' : 'better →'),
      h(
        'span',
        { class: 'plot' },
        scale.ticks.map(tick =>
          place(h('span', { class: 'tick' }, Math.abs(tick - 1) < 1e-9 ? against : `${tickText(tick)}×`), {
            left: x(tick),
          }),
        ),
      ),
      h('span', { class: 'words' }),
    ),
    h(
      'ol',
      {},
      pairs.map(pair => {
        const { judgement, variant, scenario, of } = pair;
        const { ratio, rest } = lineWords(pair, tone);
        const address = context.to('now', null, {
          lane: of.lane,
          scenario: scenario.id,
          metric: metric.id,
          variant: 'all',
          run: of.run.id,
        });
        return h(
          'li',
          { class: `difference ${colourOf(judgement)} ${judgement.kind}` },
          h(
            'span',
            { class: 'name' },
            `${variant.base.name}, `,
            h('a', { href: address, title: scenario.title }, scenario.id),
          ),
          h(
            'span',
            { class: 'plot' },
            s(
              'svg',
              { 'aria-hidden': 'true' },
              scale.ticks.map(tick => s('line', { class: 'grid', x1: x(tick), x2: x(tick), y1: 0, y2: '100%' })),
              s('line', { class: 'zero', x1: x(1), x2: x(1), y1: 0, y2: '100%' }),
              judgement.kind === 'unjudged'
                ? null
                : [
                    s('line', {
                      class: 'whisker',
                      x1: x(judgement.low),
                      x2: x(judgement.high),
                      y1: '50%',
                      y2: '50%',
                    }),
                    s('circle', { class: 'median', cx: x(judgement.ratio), cy: '50%', r: 4.5 }),
                  ],
            ),
          ),
          h('span', { class: 'words' }, ratio === '' ? null : h('b', {}, ratio), rest),
        );
      }),
    ),
  );
}
