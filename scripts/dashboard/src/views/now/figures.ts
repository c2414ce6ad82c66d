// The table behind the ranking.
import { reasonOf } from '../../charts/ranking';
import type { Metric } from '../../data/metrics';
import { subjectName } from '../../data/names';
import type { Group, Row } from '../../data/snapshot';
import { interval, inUnit, MISSING, number, rankText, ratioTexts } from '../../ui/format';
import { type Column, table } from '../../ui/table';

export function figuresTable(groups: Group[], metric: Metric, caption = metric.label): HTMLElement {
  const rows = groups.flatMap(({ label, rows }) => rows.map(row => ({ ...row, kind: label })));
  type Line = Row & { kind: string };
  const columns: Column<Line>[] = [
    { label: 'Framework', cell: ({ subject }) => subjectName(subject) },
    { label: 'Version', cell: ({ version }) => version ?? MISSING },
    { label: 'Kind', cell: ({ kind }) => kind.split(',')[0] ?? kind },
    { label: 'Rank', figure: true, cell: ({ cell }) => rankText(cell.value?.rank ?? null) },
    {
      label: '× reference',
      figure: true,
      cell: ({ cell }) => ratioTexts(cell.value).ratio,
    },
    {
      label: '95 % interval of the ratio',
      figure: true,
      cell: ({ cell }) => ratioTexts(cell.value).between || 'no interval',
    },
    {
      label: `${metric.label}, ${metric.unit}`,
      figure: true,
      cell: ({ cell }) => number(inUnit(metric, cell.value?.median ?? null)),
    },
    {
      label: '95 % interval of the figure',
      figure: true,
      cell: ({ cell }) => interval(metric, cell.value?.low ?? null, cell.value?.high ?? null),
    },
    { label: 'Trials', figure: true, cell: ({ cell }) => cell.value?.trials ?? MISSING },
    { label: 'Verdict', prose: true, cell: row => reasonOf(row) },
  ];
  return table(caption, columns, rows, ({ cell }) => (cell.value?.trusted ? null : 'untrusted'));
}
