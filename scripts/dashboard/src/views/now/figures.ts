// The table behind the ranking.
import { reasonOf } from '../../charts/ranking';
import type { Value } from '../../data/figures';
import type { Metric } from '../../data/metrics';
import { subjectName } from '../../data/names';
import type { Group, Row } from '../../data/snapshot';
import { between, inUnit, MISSING, number, ownWork, rankText, ratioText } from '../../ui/format';
import { type Column, table } from '../../ui/table';

const ends = (metric: Metric, value: Value | null): string =>
  between(inUnit(metric, value?.low ?? null), inUnit(metric, value?.high ?? null)) || 'no interval';

export function figuresTable(groups: Group[], metric: Metric): HTMLElement {
  const rows = groups.flatMap(({ label, rows }) => rows.map(row => ({ ...row, kind: label })));
  type Line = Row & { kind: string };
  const columns: Column<Line>[] = [
    { label: 'Framework', cell: ({ subject }) => subjectName(subject) },
    { label: 'Version', cell: ({ version }) => version ?? MISSING },
    { label: 'Kind', cell: ({ kind }) => kind.split(',')[0] ?? kind },
    { label: 'Rank', figure: true, cell: ({ cell }) => rankText(cell.value?.rank ?? null) },
    ...(rows.some(({ cell }) => (cell.value?.own_work ?? null) !== null)
      ? [{ label: 'Own work', figure: true, cell: ({ cell }: Line) => (cell.value ? ownWork(cell.value) : MISSING) }]
      : []),
    { label: '× reference, 95 % interval', figure: true, cell: ({ cell }) => ratioText(cell.value) },
    {
      label: `${metric.label}, ${metric.unit}`,
      figure: true,
      cell: ({ cell }) => number(inUnit(metric, cell.value?.median ?? null)),
    },
    { label: '95 % interval of the figure', figure: true, cell: ({ cell }) => ends(metric, cell.value) },
    { label: 'Trials', figure: true, cell: ({ cell }) => cell.value?.trials ?? MISSING },
    { label: 'Verdict', prose: true, cell: row => reasonOf(row) },
  ];
  return table(metric.label, columns, rows, ({ cell }) => (cell.value?.trusted ? null : 'untrusted'));
}
