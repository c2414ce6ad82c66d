// The newest figures of one scenario: what the landing view ranks.
import { type Cell, cellAt } from './figures';
import { findRun } from './runs';
import { isProblem, orNull, type Store } from './store';
import type { Lane, Period, RunDetail, Scenario, Series, Subject, Tier } from './types';

export interface Row {
  subject: Subject;
  version: string | null;
  cell: Cell;
}

export interface Snapshot {
  period: Period;
  scenario: Scenario;
  series: Series;
  run: RunDetail;
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

export function newestRun(period: Period, series: Series): RunDetail | null {
  const measured = new Set(series.runs);
  return period.runs.filter(run => measured.has(run.id)).sort((a, b) => b.startedAt - a.startedAt)[0] ?? null;
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

export interface Band {
  /** The rank tier; `null` for what is trusted and not ranked, `untrusted` for what is neither. */
  rank: number | null | 'untrusted';
  rows: Row[];
}

/** Rows of one kind, best first, in bands of those that cannot be told apart. */
export function bands(rows: Row[], more: boolean): Band[] {
  const rankOf = ({ cell }: Row): Band['rank'] => (cell.value?.trusted ? cell.value.rankTier : 'untrusted');
  // Ranks come from ratios where there are any, so these order within a rank as well.
  const ratios = rows.some(({ cell }) => cell.value?.trusted && cell.value.ratio !== null);
  const by = ({ cell: { value } }: Row) => (value?.trusted && ratios ? value.ratio : value?.median) ?? Infinity;
  const weight = (rank: Band['rank']) => (rank === 'untrusted' ? Infinity : (rank ?? Number.MAX_VALUE));
  const ordered = [...rows].sort(
    (a, b) => weight(rankOf(a)) - weight(rankOf(b)) || (more ? by(b) - by(a) : by(a) - by(b)) || 0,
  );
  const found: Band[] = [];
  for (const row of ordered) {
    const rank = rankOf(row);
    const last = found.at(-1);
    if (last !== undefined && last.rank === rank) last.rows.push(row);
    else found.push({ rank, rows: [row] });
  }
  return found;
}

export const KINDS: { tier: Tier; label: string; short: string }[] = [
  { tier: 'maintained', label: 'Frameworks', short: 'Frameworks' },
  { tier: 'engine', label: 'Engines: HTTP without a framework', short: 'Engines' },
  { tier: 'legacy', label: 'Legacy: no longer moved', short: 'Legacy' },
];

/** The newest figures of every scenario of the newest period, for pages about a framework or a run. */
export async function allSeries(store: Store, lane: Lane, period: Period): Promise<Map<string, Series>> {
  const loaded = await Promise.all(
    [...period.scenarios.keys()].map(
      async id => [id, orNull(await store.series(lane.name, period.period, id))] as const,
    ),
  );
  return new Map(loaded.flatMap(([id, series]) => (series === null ? [] : [[id, series] as const])));
}
