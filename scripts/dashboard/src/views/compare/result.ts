// The result of a comparison of two runs: a picture of all sizes with their intervals, and the table behind it.
import type { Judgement, Standing } from '../../data/judge';
import type { Metric } from '../../data/metrics';
import { fold } from '../../ui/controls';
import { h } from '../../ui/dom';
import { figure, plural, rankText, ratioTexts } from '../../ui/format';
import { pagedTable } from '../../ui/table';
import { words as inWords, picture } from './picture';
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

const words = (judgement: Judgement): string => inWords(judgement, better => (better ? 'better' : 'worse'));

export const toneOf = (judgement: Standing) =>
  judgement.kind !== 'apart' ? 'still' : judgement.better ? 'good' : 'bad';

export function result(pairs: Pair[], options: ResultOptions): HTMLElement[] {
  const ordered = bySize(pairs);
  return [
    tally(pairs),
    picture(
      ordered.slice(0, DRAWN).map(pair => ({ ...pair, label: options.lineOf(pair) })),
      { labels: [options.labels[1], options.labels[0]], words: ({ judgement }) => words(judgement) },
    ),
    ordered.length > DRAWN
      ? h('p', { class: 'faint' }, `The first ${DRAWN} of ${plural(ordered.length, 'pair')}; the table has all.`)
      : h('span', {}),
    fold('figures', 'The same figures as a table', () => [figuresTable(ordered, words, options)]),
  ];
}

/** How many pairs there are of each kind. */
function tally(pairs: Pair[]): HTMLElement {
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
      ' better',
    ),
    h(
      'li',
      { class: 'bad' },
      h(
        'b',
        {},
        count(j => j.kind === 'apart' && !j.better),
      ),
      ' worse',
    ),
    h(
      'li',
      {},
      h(
        'b',
        {},
        count(j => j.kind === 'alike'),
      ),
      ' too close to call',
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

export function figuresTable<J extends Standing>(
  pairs: Pair<J>[],
  wordsOf: (judgement: J) => string,
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
      { label: 'Judgement', cell: ({ judgement }) => wordsOf(judgement) },
    ],
    pairs,
    page,
    turn,
    ({ judgement }) => toneOf(judgement),
  );
}
