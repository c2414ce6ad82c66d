// The newest figures of one scenario: what the landing view ranks.
import { type Cell, cellAt, type Value } from './figures';
import { findRun } from './runs';
import { isProblem, orNull, type Store } from './store';
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

/**
 * The figures of the run that is asked for, or of the newest run of the newest period that measured the scenario; a sentence
 * where there are none.
 */
export async function snapshot(
  store: Store,
  lane: Lane,
  asked: { scenario: string | null; run: string | null },
): Promise<Snapshot | string> {
  const found = asked.run === null ? null : await findRun(store, lane, asked.run);
  if (typeof found === 'string') return found;
  const period = found?.period ?? (await newestPeriod(store, lane));
  if (typeof period === 'string') return period;
  const scenario = period.scenarios.get(asked.scenario ?? '') ?? [...period.scenarios.values()][0];
  if (scenario === undefined) return `The runs of ${period.period} name no scenario that this page understands.`;
  const series = await store.series(lane.name, period.period, scenario.id);
  if (isProblem(series)) return series.problem;
  const run = found?.run ?? newestRun(period, series);
  if (run === null || !series.runs.includes(run.id)) return `This run has no figures of ${scenario.id}.`;
  return { period, scenario, series, run };
}

async function newestPeriod(store: Store, lane: Lane): Promise<Period | string> {
  const newest = lane.months.at(-1);
  if (newest === undefined) return `${lane.name} has no runs yet.`;
  const period = await store.period(lane.name, newest);
  return isProblem(period) ? period.problem : period;
}

export function newestRun(period: Period, series: Series): Run | null {
  const measured = new Set(series.runs);
  return period.runs.filter(run => measured.has(run.id)).sort((a, b) => b.started_at - a.started_at)[0] ?? null;
}

/** The rows of a metric in a run, in no order. */
export function rowsOf({ period, series, run }: Snapshot, metric: string): Row[] {
  const place = period.runs.findIndex(({ id }) => id === run.id);
  return [...period.subjects.values()].flatMap(subject => {
    const cell = cellAt(series, metric, subject.key, run.id);
    if (cell === null || (cell.value === null && cell.verdict === null)) return [];
    return [{ subject, version: period.versions.get(subject.key)?.[place] ?? null, cell }];
  });
}

/** What figures are ranked by: the ratio to the reference where there is one, for the machine has cancelled in it. */
export const rankedBy = ({ ratio, median }: Value, byRatio: boolean): number | null => (byRatio ? ratio : median);

/** Whether these rows are ranked by their ratios. */
export const haveRatios = (rows: Row[]): boolean =>
  rows.some(({ cell }) => cell.value?.trusted && cell.value.ratio !== null);

/** Rows of one kind in the order of the figure that they are ranked by, so that none stands above one that is better; what is not
 * trusted comes last. */
export function ordered(rows: Row[], more: boolean, byRatio: boolean): Row[] {
  const weight = ({ cell: { value } }: Row) => {
    if (!value?.trusted) return 2;
    return rankedBy(value, byRatio) === null ? 1 : 0;
  };
  const figure = (row: Row) => {
    const { value } = row.cell;
    const found = value === null ? null : weight(row) === 0 ? rankedBy(value, byRatio) : value.median;
    return found ?? (more ? -Infinity : Infinity);
  };
  const better = (a: number, b: number) => (a === b ? 0 : a < b === more ? 1 : -1);
  return [...rows].sort((a, b) => weight(a) - weight(b) || better(figure(a), figure(b)));
}

export const KINDS: { tier: Tier; label: string; short: string }[] = words.tiers.map(({ id, label }) => ({
  tier: id,
  label,
  short: label.split(',')[0] ?? label,
}));

/** The newest figures of every scenario of the newest period, for pages about a framework or a run. */
export async function allSeries(store: Store, lane: Lane, period: Period): Promise<Map<string, Series>> {
  const loaded = await Promise.all(
    [...period.scenarios.keys()].map(
      async id => [id, orNull(await store.series(lane.name, period.period, id))] as const,
    ),
  );
  return new Map(loaded.flatMap(([id, series]) => (series === null ? [] : [[id, series] as const])));
}
