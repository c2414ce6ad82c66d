// Every trial of a run, a page at a time, with the record and the table to download.
import type { Context } from '../../app/context';
import type { Metric } from '../../data/generated/published';
import { METRICS } from '../../data/metrics';
import type { RunRecord, TrialField, TrialTable } from '../../data/types';
import { VALID, verdictLabel } from '../../data/verdicts';
import { select } from '../../ui/controls';
import { csvButton } from '../../ui/csv';
import { h } from '../../ui/dom';
import { MISSING, number, plural } from '../../ui/format';
import { type Column, pagedTable, pageNumber } from '../../ui/table';

interface Shown {
  label: string;
  column: TrialField;
  divisor: number;
}

function shown(id: Metric, column: TrialField): Shown[] {
  const metric = METRICS.get(id);
  return metric === undefined ? [] : [{ label: `${metric.label}, ${metric.unit}`, column, divisor: metric.divisor }];
}

const FIGURES: Shown[] = [
  ...shown('server_cpu_us_per_request', 'server_cpu_us_per_request'),
  ...shown('instructions_per_request', 'instructions_per_request'),
  ...shown('goodput_rps', 'goodput_rps'),
  ...shown('capacity_rps', 'capacity_rps'),
  ...shown('latency_p50_ms', 'latency_ms.p50'),
  ...shown('latency_p99_ms', 'latency_ms.p99'),
  { label: 'Server, share', column: 'server_cpu_share', divisor: 1 },
  { label: 'Generator, share', column: 'generator_cpu_share', divisor: 1 },
  { label: 'Others, share', column: 'other_cpu_share', divisor: 1 },
  { label: 'Idle, share of a cpu', column: 'idle_cpu_share', divisor: 1 },
  ...shown('rss_peak_bytes', 'rss_bytes.peak'),
  ...shown('startup_ms', 'startup_ms'),
];

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
    ...FIGURES.filter(({ column }) => trials.columns.has(column)).map(({ label, column, divisor }) => ({
      label,
      figure: true,
      cell: (row: number) => figure(trials, column, row, divisor),
    })),
    ...(trials.columns.has('apart') ? [{ label: 'Driven apart', cell: (row: number) => text('apart', row) }] : []),
    { label: 'Reasons', prose: true, cell: row => text('reasons', row) },
  ];
  return h(
    'section',
    {},
    h('h2', {}, 'Every trial'),
    h(
      'div',
      { class: 'controls control-line' },
      filter(context, trials, 'app', 'App'),
      filter(context, trials, 'scenario', 'Scenario'),
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
    pagedTable(
      'trials',
      plural(rows.length, 'trial'),
      columns,
      rows,
      pageNumber(context.parameter('page')),
      page => context.go({ page: String(page) }),
      row => (text('verdict', row) === VALID ? null : 'untrusted'),
    ),
  );
}

function figure(trials: TrialTable, column: TrialField, row: number, divisor: number): string {
  const value = trials.columns.get(column)?.[row] ?? null;
  return typeof value === 'number' ? number(value / divisor) : MISSING;
}

function filter(context: Context, trials: TrialTable, name: string, label: string): HTMLElement {
  const values = [...new Set(trials.columns.get(name) ?? [])]
    .filter(value => value !== null)
    .map(String)
    .sort();
  return select(
    `filter-${name}`,
    label,
    [{ value: '', label: 'All' }, ...values.map(value => ({ value, label: value }))],
    context.parameter(name) ?? '',
    value => context.go({ [name]: value || null, page: null }),
  );
}

const rowsOf = ({ columns, rows }: TrialTable) => [
  [...columns.keys()],
  ...Array.from({ length: rows }, (_, row) => [...columns.values()].map(column => column[row] ?? null)),
];
