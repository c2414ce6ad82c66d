// The newest figures of one scenario: what the landing view ranks.
import { type Basis, basisOf, type Cell, cellAt, drawnBy } from './figures';
import type { Metric } from './metrics';
import { findRun, runOf } from './runs';
import type { Store } from './store';
import type { Lane, Period, Run, Scenario, Series, Subject, Tier } from './types';
import { words } from './words';

export interface Row {
  subject: Subject;
  version: string | null;
  cell: Cell;
}

export interface Snapshot {
  period: Period;
  scenario: Scenario;
  series: Series;
  run: Run;
}

/** The figures of the named run, or of the newest; a sentence where there are none. */
export async function snapshot(
  store: Store,
  lane: Lane,
  named: { scenario: string | null; run: string | null },
): Promise<Snapshot | string> {
  const found = await findRun(store, lane, named.run);
  if (typeof found === 'string') return found;
  const { period } = found;
  const scenario = period.scenarios.get(named.scenario ?? '') ?? [...period.scenarios.values()][0];
  const series = found.series.get(scenario?.id ?? '');
  if (scenario === undefined || series === undefined) return `The run ${found.run.id} has no figures.`;
  return { period, scenario, series, run: runOf(found, series) };
}

/** The rows of a metric in a run, in no order. */
export function rowsOf({ period, series, run }: Snapshot, metric: string): Row[] {
  const place = period.runs.findIndex(({ id }) => id === run.id);
  return [...period.subjects.values()].flatMap(subject => {
    const cell = cellAt(series, metric, subject.key, run.id);
    return cell === null ? [] : [{ subject, version: period.versions.get(subject.key)?.[place] ?? null, cell }];
  });
}

/** Rows of one kind in the order of the figure that is shown, so that none stands above one that is better; what is not trusted comes
 * last. */
export function ordered(rows: Row[], metric: Metric, basis: Basis): Row[] {
  const sign = metric.better === 'more' ? -1 : 1;
  const found = rows.map(row => {
    const { value } = row.cell;
    const drawn = value?.trusted ? drawnBy(value, basis, metric) : null;
    const figure = drawn?.middle ?? value?.median;
    const weight = drawn !== null ? 0 : value?.trusted ? 1 : 2;
    return { row, weight, figure: figure === undefined ? Infinity : sign * figure };
  });
  return found.sort((a, b) => a.weight - b.weight || a.figure - b.figure).map(({ row }) => row);
}

/** Rows under a title, in the order in which they are shown. */
export interface Group {
  label: string;
  rows: Row[];
}

export const isOf = (tier: Tier, { role, tier: its }: Subject): boolean => role === 'framework' && its === tier;

/** Each kind of framework in the order of what it is ranked by, then what they are compared with. */
export function groupsOf(rows: Row[], metric: Metric, shown: (row: Row) => boolean = () => true): Group[] {
  const basis = basisOf(rows.map(({ cell }) => cell.value));
  const group = (label: string, wanted: (subject: Subject) => boolean): Group => ({
    label,
    rows: ordered(
      rows.filter(row => wanted(row.subject)),
      metric,
      basis,
    ),
  });
  const kinds = KINDS.map(({ tier, label }) => group(label, subject => isOf(tier, subject)));
  const groups = kinds.map(({ label, rows }) => ({ label, rows: rows.filter(shown) }));
  return [...groups, group('To compare with', ({ role }) => role !== 'framework')].filter(g => g.rows.length > 0);
}

export const KINDS: { tier: Tier; label: string; short: string }[] = words.tiers.map(({ id, label }) => ({
  tier: id,
  label,
  short: label.split(',')[0] ?? label,
}));
