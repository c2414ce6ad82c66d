// The result of a comparison of two runs: a picture of all sizes with their intervals, and the table behind it.
import type { Context } from '../../app/context';
import { differences, drawnOf, toneOf } from '../../charts/differences';
import type { Judgement } from '../../data/judge';
import type { Metric } from '../../data/metrics';
import type { Form } from '../../data/ratios';
import { fold } from '../../ui/controls';
import { h } from '../../ui/dom';
import { figure, MISSING, plural, rankText, ratioText } from '../../ui/format';
import { AS_TABLE, faint, judgedText } from '../../ui/parts';
import { pagedTable } from '../../ui/table';
import { bySize, type Pair } from './sides';

export interface TableOptions<P> {
  metric: Metric;
  labels: [string, string];
  /** What a line is called. */
  lineOf: (pair: P) => string;
  words: (pair: P) => string;
}

/** More lines than these are read in the table. */
const DRAWN = 40;

export const words = ({ judgement }: Pick<Pair, 'judgement'>): string =>
  judgedText(judgement, better => (better ? 'better' : 'worse'));

export function result(context: Context, pairs: Pair[], options: TableOptions<Pair>): (HTMLElement | null)[] {
  const ordered = bySize(pairs);
  const { labels, lineOf } = options;
  return [
    tally(pairs),
    differences(
      ordered.slice(0, DRAWN).map(pair => ({
        kind: `${toneOf(pair.judgement)} ${pair.judgement.kind}`,
        name: lineOf(pair),
        drawn: drawnOf(pair.judgement),
        words: words(pair),
      })),
      { head: `${labels[1]} against ${labels[0]}`, same: 'same' },
    ),
    ordered.length > DRAWN
      ? faint(`The first ${DRAWN} of ${plural(ordered.length, 'pair')}; the table has all.`)
      : null,
    fold('figures', AS_TABLE, () => [figuresTable(context, ordered, options)]),
  ];
}

/** How many pairs there are of each kind. */
function tally(pairs: Pair[]): HTMLElement {
  const count = (kind: string, label: string, wanted: (judgement: Judgement) => boolean) =>
    h('li', { class: kind }, h('b', {}, pairs.filter(({ judgement }) => wanted(judgement)).length), ` ${label}`);
  return h(
    'ul',
    { class: 'tally' },
    count('good', 'better', j => j.kind === 'apart' && j.better),
    count('bad', 'worse', j => j.kind === 'apart' && !j.better),
    count('', 'too close to call', j => j.kind === 'alike'),
    count('faint', 'not judged', j => j.kind === 'unjudged'),
  );
}

/** Any pair of forms: what stands in the table. */
interface Compared {
  a: Form | null;
  b: Form | null;
  judgement: Judgement;
}

export function figuresTable<P extends Compared>(
  context: Context,
  pairs: P[],
  { metric, labels, lineOf, words }: TableOptions<P>,
): HTMLElement {
  const side = (of: (pair: P) => Form | null, label: string) => [
    { label: `${label}, × reference`, figure: true, cell: (pair: P) => ratioText(of(pair)) },
    { label: `${label}, rank`, figure: true, cell: (pair: P) => rankText(of(pair)?.rank ?? null) },
    {
      label: `${label}, figure`,
      figure: true,
      cell: (pair: P) => {
        const value = of(pair);
        if (value === null) return MISSING;
        return figure(metric, value.median) + (value.missed ? `, ${value.missed}` : '');
      },
    },
  ];
  return pagedTable(
    context,
    'pairs',
    `${metric.label}: ${labels[1]} against ${labels[0]}`,
    [
      { label: 'What', cell: lineOf },
      ...side(({ a }) => a, labels[0]),
      ...side(({ b }) => b, labels[1]),
      { label: 'Judgement', cell: words },
    ],
    pairs,
    ({ judgement }) => toneOf(judgement),
  );
}
