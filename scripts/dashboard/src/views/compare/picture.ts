// Sizes of differences with their intervals, each on a line of its own.
import { scaleOf } from '../../charts/scale';
import type { Judgement } from '../../data/judge';
import { h, place, s } from '../../ui/dom';
import { percent, tick as tickText } from '../../ui/format';

interface Drawn {
  label: string;
  judgement: Judgement;
}

/** A judgement in words; `ahead` says who is better. */
export function words(judgement: Judgement, ahead: (better: boolean) => string): string {
  if (judgement.kind === 'unjudged') return judgement.why;
  const bounds = `${percent(judgement.size)} (${percent(judgement.low)} to ${percent(judgement.high)})`;
  return `${bounds}, ${judgement.kind === 'alike' ? 'too close to call' : ahead(judgement.better)}`;
}

const toneOf = (judgement: Judgement) => (judgement.kind !== 'apart' ? 'still' : judgement.better ? 'good' : 'bad');

/** `labels`: whose differences these are, and to whom. */
export function picture<T extends Drawn>(
  lines: T[],
  { labels, words }: { labels: [string, string]; words: (line: T) => string },
): HTMLElement {
  const judged = lines.flatMap(({ judgement }) => (judgement.kind === 'unjudged' ? [] : [judgement]));
  const scale = scaleOf(
    [0, ...judged.flatMap(({ low, high }) => [low, high])].map(size => size * 100),
    5,
  );
  const x = (size: number) => `${scale.percent(size * 100)}%`;
  const upright = (kind: string, at: number) =>
    s('line', { class: kind, x1: `${at}%`, x2: `${at}%`, y1: 0, y2: '100%' });
  return h(
    'div',
    { class: 'differences' },
    h(
      'div',
      { class: 'difference axis', 'aria-hidden': 'true' },
      h('span', { class: 'name' }, `${labels[0]} against ${labels[1]}`),
      h(
        'span',
        { class: 'plot' },
        scale.ticks.map(tick =>
          place(
            h('span', { class: 'tick' }, tick === 0 ? 'same' : `${tick > 0 ? '+' : '−'}${tickText(Math.abs(tick))} %`),
            { left: `${scale.percent(tick)}%` },
          ),
        ),
      ),
      h('span', { class: 'words' }),
    ),
    h(
      'ol',
      {},
      lines.map(line => {
        const { judgement, label } = line;
        return h(
          'li',
          { class: `difference ${toneOf(judgement)} ${judgement.kind}` },
          h('span', { class: 'name' }, label),
          h(
            'span',
            { class: 'plot' },
            s(
              'svg',
              { 'aria-hidden': 'true' },
              scale.ticks.map(tick => upright('grid', scale.percent(tick))),
              upright('zero', scale.percent(0)),
              judgement.kind === 'unjudged'
                ? null
                : [
                    s('line', { class: 'whisker', x1: x(judgement.low), x2: x(judgement.high), y1: '50%', y2: '50%' }),
                    s('circle', { class: 'median', cx: x(judgement.size), cy: '50%', r: 4.5 }),
                  ],
            ),
          ),
          h('span', { class: 'words' }, words(line)),
        );
      }),
    ),
  );
}
