// The result of a comparison of two runs: a picture of all sizes with their intervals, and the table behind it.
import { scaleOf } from '../../charts/scale';
import type { Judgement, Standing } from '../../data/judge';
import type { Metric } from '../../data/metrics';
import { fold } from '../../ui/controls';
import { h, place, s } from '../../ui/dom';
import { figure, percent, plural, rankText, ratioTexts, tick as tickText } from '../../ui/format';
import { pagedTable } from '../../ui/table';
import { bySize, type Pair } from './sides';

export interface TableOptions<J> {
  metric: Metric;
  labels: [string, string];
  /** What a line is called. */
  lineOf: (pair: Pair<J>) => string;
  page: number;
  turn: (page: number) => void;
}

export type ResultOptions = TableOptions<Judgement>;

/** More lines than these are read in the table. */
const DRAWN = 40;

const words = (judgement: Judgement): string => {
  if (judgement.kind === 'unjudged') return judgement.why;
  const bounds = `${percent(judgement.low)} to ${percent(judgement.high)}`;
  if (judgement.kind === 'alike') return `intervals overlap (${bounds})`;
  return `${percent(judgement.size)} (${bounds}), ${judgement.better ? 'better' : 'worse'}`;
};

export const toneOf = (judgement: Standing) =>
  judgement.kind !== 'apart' ? 'still' : judgement.better ? 'good' : 'bad';

export function result(pairs: Pair[], options: ResultOptions): HTMLElement[] {
  const ordered = bySize(pairs);
  return [
    tally(pairs, ['lie apart, better', 'lie apart, worse', 'overlap']),
    picture(ordered.slice(0, DRAWN), options),
    ordered.length > DRAWN
      ? h('p', { class: 'faint' }, `The first ${DRAWN} of ${plural(ordered.length, 'pair')}; the table has all.`)
      : h('span', {}),
    fold('figures', 'The same figures as a table', () => [figuresTable(ordered, words, options)]),
  ];
}

/** How many pairs there are of each kind, in these words. */
export function tally(pairs: Pair<Standing>[], [better, worse, alike]: [string, string, string]): HTMLElement {
  const count = (wanted: (judgement: Standing) => boolean) => pairs.filter(({ judgement }) => wanted(judgement)).length;
  return h(
    'ul',
    { class: 'tally' },
    h(
      'li',
      { class: 'good' },
      h(
        'b',
        {},
        count(j => j.kind === 'apart' && j.better),
      ),
      ` ${better}`,
    ),
    h(
      'li',
      { class: 'bad' },
      h(
        'b',
        {},
        count(j => j.kind === 'apart' && !j.better),
      ),
      ` ${worse}`,
    ),
    h(
      'li',
      {},
      h(
        'b',
        {},
        count(j => j.kind === 'alike'),
      ),
      ` ${alike}`,
    ),
    h(
      'li',
      { class: 'faint' },
      h(
        'b',
        {},
        count(j => j.kind === 'unjudged'),
      ),
      ' not judged',
    ),
  );
}

function picture(pairs: Pair[], { lineOf, labels }: ResultOptions): HTMLElement {
  const judged = pairs.flatMap(({ judgement }) => (judgement.kind === 'unjudged' ? [] : [judgement]));
  const scale = scaleOf(
    [0, ...judged.flatMap(({ low, high }) => [low, high])].map(size => size * 100),
    6,
  );
  const x = (size: number) => `${scale.percent(size * 100)}%`;
  return h(
    'div',
    { class: 'differences' },
    h(
      'div',
      { class: 'difference axis', 'aria-hidden': 'true' },
      h('span', { class: 'name' }, `${labels[1]} against ${labels[0]}`),
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
      pairs.map(pair => {
        const { judgement } = pair;
        return h(
          'li',
          { class: `difference ${toneOf(judgement)} ${judgement.kind}` },
          h('span', { class: 'name' }, lineOf(pair)),
          h(
            'span',
            { class: 'plot' },
            s(
              'svg',
              { 'aria-hidden': 'true' },
              scale.ticks.map(tick =>
                s('line', {
                  class: 'grid',
                  x1: `${scale.percent(tick)}%`,
                  x2: `${scale.percent(tick)}%`,
                  y1: 0,
                  y2: '100%',
                }),
              ),
              s('line', { class: 'zero', x1: x(0), x2: x(0), y1: 0, y2: '100%' }),
              judgement.kind === 'unjudged'
                ? null
                : s('line', { class: 'whisker', x1: x(judgement.low), x2: x(judgement.high), y1: '50%', y2: '50%' }),
              judgement.kind === 'unjudged'
                ? null
                : s('circle', { class: 'median', cx: x(judgement.size), cy: '50%', r: 4.5 }),
            ),
          ),
          h('span', { class: 'words' }, words(judgement)),
        );
      }),
    ),
  );
}

export function figuresTable<J extends Standing>(
  pairs: Pair<J>[],
  inWords: (judgement: J) => string,
  { metric, labels, lineOf, page, turn }: TableOptions<J>,
): HTMLElement {
  const side = (of: (pair: Pair<J>) => Pair['a'], label: string) => [
    {
      label: `${label}, × reference`,
      figure: true,
      cell: (pair: Pair<J>) => {
        const value = of(pair);
        if (value === null || value.ratio === null) return '–';
        const { ratio, between } = ratioTexts(value);
        return between === '' ? ratio : `${ratio} (${between})`;
      },
    },
    { label: `${label}, rank`, figure: true, cell: (pair: Pair<J>) => rankText(of(pair)?.rank ?? null) },
    {
      label: `${label}, figure`,
      figure: true,
      cell: (pair: Pair<J>) => {
        const value = of(pair);
        return figure(metric, value?.median ?? null) + (value?.missed ? `, ${value.missed}` : '');
      },
    },
  ];
  return pagedTable(
    'pairs',
    `${metric.label}: ${labels[1]} against ${labels[0]}`,
    [
      { label: 'What', cell: pair => lineOf(pair) },
      ...side(({ a }) => a, labels[0]),
      ...side(({ b }) => b, labels[1]),
      { label: 'Judgement', cell: ({ judgement }) => inWords(judgement) },
    ],
    pairs,
    page,
    turn,
    ({ judgement }) => toneOf(judgement),
  );
}
