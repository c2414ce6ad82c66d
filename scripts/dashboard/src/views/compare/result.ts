// The table behind a picture of ratios: the figures of both sides.
import type { Context } from '../../app/context';
import { toneOf } from '../../charts/differences';
import type { Judgement } from '../../data/judge';
import type { Metric } from '../../data/metrics';
import type { Form } from '../../data/ratios';
import { figure, MISSING, rankText, ratioText } from '../../ui/format';
import { pagedTable } from '../../ui/table';

interface Compared {
  a: Form | null;
  b: Form | null;
  judgement: Judgement;
}

export interface TableOptions<P> {
  metric: Metric;
  labels: [string, string];
  /** What a line is called. */
  lineOf: (pair: P) => string;
  words: (pair: P) => string;
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
      { label: 'Difference', cell: words },
    ],
    pairs,
    ({ judgement }) => toneOf(judgement),
  );
}
