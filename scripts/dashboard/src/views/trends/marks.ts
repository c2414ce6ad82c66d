// What changed in the span that is shown: as marks on the chart and as lists below it.
import type { Context } from '../../app/context';
import type { ChartMark } from '../../charts/trend';
import type { Span } from '../../data/history';
import type { Metric } from '../../data/metrics';
import { keyOf } from '../../data/names';
import { isProblem, type Loaded } from '../../data/store';
import type { Change, Changes, Mark } from '../../data/types';
import {
  causesText,
  changeItem,
  changeList,
  commonItem,
  markText,
  type Names,
  newestFirst,
  noHistory,
  toneOf,
} from '../../ui/changes';
import { h, link } from '../../ui/dom';
import { percent } from '../../ui/format';
import { faint, titled } from '../../ui/parts';

export interface Shown {
  scenario: string;
  metric: Metric;
  span: Span;
  chosen: string[];
}

const within =
  (span: Span) =>
  ({ started_at }: { started_at: number }) =>
    started_at >= span.from && started_at <= span.to;

function changesOf(changes: Changes, { scenario, metric, span, chosen }: Shown): Change[] {
  const on = new Set(chosen);
  return changes.changes
    .filter(within(span))
    .filter(change => change.scenario === scenario && change.metric === metric.id && on.has(keyOf(change)));
}

/** Releases are marked only for what is drawn. */
const marksOf = (changes: Changes, { span, chosen }: Shown): Mark[] =>
  changes.marks.filter(within(span)).filter(({ app }) => app == null || chosen.some(key => key.split(':')[0] === app));

/** Marks of everything that happens every week would hide the chart. */
const DRAWN_KINDS = new Set<Mark['kind']>(['runner', 'machine', 'rustc', 'framework']);

export function chartMarks(changes: Loaded<Changes>, shown: Shown): ChartMark[] {
  if (isProblem(changes)) return [];
  return [
    ...marksOf(changes, shown)
      .filter(({ kind }) => DRAWN_KINDS.has(kind))
      .map((mark): ChartMark => ({ at: mark.started_at / 1000, text: markText(mark), tone: 'still', subject: null })),
    ...changesOf(changes, shown).map(
      (change): ChartMark => ({
        at: change.started_at / 1000,
        text: `${percent(change.size)}, ${causesText(change.causes)}${change.state === 'confirmed' ? '' : ` (${change.state})`}`,
        tone: toneOf(change)[0],
        subject: keyOf(change),
      }),
    ),
  ];
}

export function changeLists(context: Context, changes: Loaded<Changes>, shown: Shown, names: Names): HTMLElement {
  if (isProblem(changes)) return titled('What changed', faint(noHistory(changes)));
  const found = newestFirst(changesOf(changes, shown));
  const common = newestFirst(
    changes.common
      .filter(within(shown.span))
      .filter(({ scenario, metric }) => scenario === shown.scenario && metric === shown.metric.id),
  );
  return titled(
    'What changed',
    changeList(
      [
        ...found.map(change => changeItem(change, names, context)),
        ...common.map(change => commonItem(change, names.scenarios)),
      ],
      'Nothing moved for these frameworks, this scenario and this figure.',
    ),
    h('p', {}, 'All that moved or was new is in ', link(context.to('news'), 'News'), '.'),
  );
}
