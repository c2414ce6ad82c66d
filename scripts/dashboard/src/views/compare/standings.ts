// Two frameworks in one run: both figures of each kind of work with their own intervals, and what the run tells apart.
import { scaleOf } from '../../charts/scale';
import type { Value } from '../../data/figures';
import type { Standing } from '../../data/judge';
import { fold } from '../../ui/controls';
import { h, place, s } from '../../ui/dom';
import { rankText, tick as tickText } from '../../ui/format';
import { figuresTable, type TableOptions, tally, toneOf } from './result';
import { apartFirst, type Pair } from './sides';

type RankedPair = Pair<Standing>;
type Options = TableOptions<Standing>;

const KINDS = { better: 'ahead in this session', worse: 'behind in this session', alike: 'cannot be told apart' };

const inWords = (judgement: Standing): string => {
  if (judgement.kind === 'unjudged') return judgement.why;
  if (judgement.kind === 'alike') return KINDS.alike;
  return judgement.better ? KINDS.better : KINDS.worse;
};

/** With the ranks that say so, those of the second side first, for it is what the line is about. */
function words({ a, b, judgement }: RankedPair): string {
  if (judgement.kind === 'unjudged') return judgement.why;
  const [first, second] = [a, b].map(value => rankText(value?.rank ?? null));
  return judgement.kind === 'alike'
    ? `${inWords(judgement)}: ${second} and ${first}`
    : `${inWords(judgement)}: rank ${second} against ${first}`;
}

export function standings(pairs: RankedPair[], options: Options): HTMLElement[] {
  const ordered = apartFirst(pairs);
  return [
    tally(pairs, [KINDS.better, KINDS.worse, KINDS.alike]),
    picture(ordered, options),
    fold('figures', 'The same figures as a table', () => [figuresTable(ordered, inWords, options)]),
  ];
}

interface Drawn {
  middle: number;
  low: number | null;
  high: number | null;
}

function picture(pairs: RankedPair[], { metric, labels, lineOf }: Options): HTMLElement {
  const byRatio = pairs.some(({ a, b }) => a?.ratio != null || b?.ratio != null);
  const unit = (figure: number | null) => (figure === null ? null : figure / metric.divisor);
  const drawn = (value: Value | null): Drawn | null => {
    if (value === null || (byRatio && value.ratio === null)) return null;
    return byRatio
      ? { middle: value.ratio ?? 1, low: value.ratio_low, high: value.ratio_high }
      : { middle: value.median / metric.divisor, low: unit(value.low), high: unit(value.high) };
  };
  const sides = ({ a, b }: RankedPair) => [drawn(a), drawn(b)] as const;
  const scale = scaleOf(
    pairs.flatMap(pair =>
      sides(pair).flatMap(side => (side ? [side.middle, side.low ?? side.middle, side.high ?? side.middle] : [])),
    ),
    6,
  );
  const x = (figure: number) => `${scale.percent(figure)}%`;
  const upright = (kind: string, at: number) => s('line', { class: kind, x1: x(at), x2: x(at), y1: 0, y2: '100%' });
  const mark = (kind: string, side: Drawn | null, y: string) =>
    side === null
      ? null
      : [
          side.low === null || side.high === null
            ? null
            : s('line', { class: `whisker ${kind}`, x1: x(side.low), x2: x(side.high), y1: y, y2: y }),
          s('circle', { class: `median ${kind}`, cx: x(side.middle), cy: y, r: 4 }),
        ];
  return h(
    'div',
    { class: 'differences' },
    h(
      'div',
      { class: 'difference axis', 'aria-hidden': 'true' },
      h('span', { class: 'name' }, `${labels[1]}, above, against ${labels[0]}, grey below`),
      h(
        'span',
        { class: 'plot' },
        scale.ticks.map(tick =>
          place(h('span', { class: 'tick' }, byRatio && tick === 1 ? 'reference' : tickText(tick)), { left: x(tick) }),
        ),
      ),
      h('span', { class: 'words' }, `${byRatio ? '× reference' : metric.unit}, ${metric.better} is better`),
    ),
    h(
      'ol',
      {},
      pairs.map(pair => {
        const [a, b] = sides(pair);
        return h(
          'li',
          { class: `difference two ${toneOf(pair.judgement)} ${pair.judgement.kind}` },
          h('span', { class: 'name' }, lineOf(pair)),
          h(
            'span',
            { class: 'plot' },
            s(
              'svg',
              { 'aria-hidden': 'true' },
              scale.ticks.map(tick => upright('grid', tick)),
              byRatio ? upright('zero', 1) : null,
              mark('other', a, '70%'),
              mark('', b, '30%'),
            ),
          ),
          h('span', { class: 'words' }, words(pair)),
        );
      }),
    ),
  );
}
