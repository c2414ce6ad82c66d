// Every trial of a run, a page at a time, with the record and the table to download.
import type { Context } from '../../app/context';
import { METRICS } from '../../data/metrics';
import type { RunRecord, TrialField, TrialTable } from '../../data/types';
import { VALID, verdictLabel } from '../../data/verdicts';
import { csvButton } from '../../ui/csv';
import { h } from '../../ui/dom';
import { MISSING, number, plural } from '../../ui/format';
import { controlLine, filter, titled } from '../../ui/parts';
import { type Column, pagedTable } from '../../ui/table';

/** A figure of the trials: every metric, and every share of a cpu, that any of them has. */
interface Figure {
  label: string;
  column: string;
  divisor: number;
}

function figuresOf({ columns }: TrialTable): Figure[] {
  const metrics = [...METRICS.values()].map(({ label, unit, field, divisor }) => ({
    label: `${label}, ${unit}`,
    column: field,
    divisor,
  }));
  const shares = [...columns.keys()].filter(name => name.endsWith('_share'));
  return [
    ...metrics.filter(({ column }) => columns.has(column)),
    ...shares.map(column => ({ label: column.replaceAll('_', ' '), column, divisor: 1 })),
  ];
}

export function trialsOf(context: Context, record: RunRecord): HTMLElement {
  const { trials } = record;
  const text = (column: TrialField, row: number) => String(trials.columns.get(column)?.[row] ?? MISSING);
  const [app, scenario] = [context.parameter('app'), context.parameter('scenario')];
  const rows = Array.from({ length: trials.rows }, (_, row) => row).filter(
    row => (app === null || text('app', row) === app) && (scenario === null || text('scenario', row) === scenario),
  );
  const columns: Column<number>[] = [
    { label: '#', figure: true, cell: row => text('order', row) },
    {
      label: 'App',
      cell: row =>
        text('variant', row) === 'default' ? text('app', row) : `${text('app', row)}, ${text('variant', row)}`,
    },
    { label: 'Scenario', cell: row => text('scenario', row) },
    { label: 'Round', figure: true, cell: row => text('round', row) },
    { label: 'Verdict', cell: row => verdictLabel(text('verdict', row)) },
    ...figuresOf(trials).map(({ label, column, divisor }) => ({
      label,
      figure: true,
      cell: (row: number) => figure(trials, column, row, divisor),
    })),
    ...(trials.columns.has('apart') ? [{ label: 'Driven apart', cell: (row: number) => text('apart', row) }] : []),
    { label: 'Reasons', prose: true, cell: row => text('reasons', row) },
  ];
  return titled(
    'Every trial',
    controlLine(
      filter(context, 'app', 'App', valuesOf(trials, 'app')),
      filter(context, 'scenario', 'Scenario', valuesOf(trials, 'scenario')),
      h(
        'div',
        { class: 'buttons' },
        h(
          'a',
          {
            id: 'json',
            class: 'button',
            href: context.store.address(`runs/${context.lane.place}/${record.id}.json.gz`),
            download: `${record.id}.json.gz`,
          },
          'Download JSON',
        ),
        csvButton(record.id, () => rowsOf(trials), 'Download CSV'),
      ),
    ),
    pagedTable(context, 'trials', plural(rows.length, 'trial'), columns, rows, row =>
      text('verdict', row) === VALID ? null : 'untrusted',
    ),
  );
}

function figure(trials: TrialTable, column: string, row: number, divisor: number): string {
  const value = trials.columns.get(column)?.[row] ?? null;
  return typeof value === 'number' ? number(value / divisor) : MISSING;
}

/** All values of a column. */
const valuesOf = ({ columns }: TrialTable, name: TrialField): string[] =>
  [...new Set(columns.get(name))].flatMap(value => (value === null ? [] : String(value))).sort();

const rowsOf = ({ columns, rows }: TrialTable) => [
  [...columns.keys()],
  ...Array.from({ length: rows }, (_, row) => [...columns.values()].map(column => column[row] ?? null)),
];
