// The result of a comparison: a picture of all sizes with their intervals, and the table behind it.
import { scaleOf } from '../../charts/scale';
import type { Judgement } from '../../data/judge';
import type { Metric } from '../../data/metrics';
import { fold } from '../../ui/controls';
import { h, place, s } from '../../ui/dom';
import { figure, number, percent, plural, tick as tickText } from '../../ui/format';
import { pagedTable } from '../../ui/table';
import { bySize, type Pair } from './sides';

export interface ResultOptions {
  metric: Metric;
  labels: [string, string];
  /** What a line is called. */
  lineOf: (pair: Pair) => string;
  page: number;
  turn: (page: number) => void;
}

/** More lines than these are read in the table. */
const DRAWN = 40;

export const words = (judgement: Judgement): string => {
  if (judgement.kind === 'unjudged') return judgement.why;
  const bounds = `${percent(judgement.low)} to ${percent(judgement.high)}`;
  if (judgement.kind === 'alike') return `cannot be told apart (${bounds})`;
  return `${percent(judgement.size)} (${bounds}), ${judgement.better ? 'better' : 'worse'}`;
};

const toneOf = (judgement: Judgement) => (judgement.kind !== 'apart' ? 'still' : judgement.better ? 'good' : 'bad');

export function result(pairs: Pair[], options: ResultOptions): HTMLElement[] {
  const ordered = bySize(pairs);
  const count = (wanted: (judgement: Judgement) => boolean) =>
    pairs.filter(({ judgement }) => wanted(judgement)).length;
  const better = count(j => j.kind === 'apart' && j.better);
  const worse = count(j => j.kind === 'apart' && !j.better);
  const alike = count(j => j.kind === 'alike');
  const unjudged = count(j => j.kind === 'unjudged');
  return [
    h(
      'ul',
      { class: 'tally' },
      h('li', { class: 'good' }, h('b', {}, better), ' better'),
      h('li', { class: 'bad' }, h('b', {}, worse), ' worse'),
      h('li', {}, h('b', {}, alike), ' cannot be told apart'),
      h('li', { class: 'faint' }, h('b', {}, unjudged), ' not judged'),
    ),
    picture(ordered.slice(0, DRAWN), options),
    ordered.length > DRAWN
      ? h('p', { class: 'faint' }, `The first ${DRAWN} of ${plural(ordered.length, 'pair')}; the table has all.`)
      : h('span', {}),
    fold('figures', 'The same figures as a table', () => [figuresTable(ordered, options)]),
  ];
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

function figuresTable(pairs: Pair[], { metric, labels, lineOf, page, turn }: ResultOptions): HTMLElement {
  const side = (of: (pair: Pair) => Pair['a'], label: string) => [
    { label, figure: true, cell: (pair: Pair) => figure(metric, of(pair)?.median ?? null) },
    {
      label: `${label}, × reference`,
      figure: true,
      cell: (pair: Pair) => {
        const value = of(pair);
        if (value === null || value.ratio === null) return '–';
        return value.ratioLow === null || value.ratioHigh === null
          ? number(value.ratio)
          : `${number(value.ratio)} (${number(value.ratioLow)} to ${number(value.ratioHigh)})`;
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
      { label: 'Judgement', cell: ({ judgement }) => words(judgement) },
    ],
    pairs,
    page,
    turn,
    ({ judgement }) => toneOf(judgement),
  );
}
