// Runs of a lane: listing them, newest first, and finding one by its id.
import { isProblem, orNull, type Store } from './store';
import type { Lane, Run, RunFigures, Series } from './types';

export const monthOf = (run: Run): string => new Date(run.started_at).toISOString().slice(0, 7);

/** The run that measured a scenario, of those that are shown. */
export const runOf = ({ run, period }: RunFigures, { runs }: Series): Run =>
  period.runs.find(({ id }) => id === runs.at(-1)) ?? run;

/** Each run of these once. */
export const runsOf = (of: Iterable<{ run: Run }>): Run[] => [
  ...new Map(Array.from(of, ({ run }) => [run.id, run] as const)).values(),
];

/** The run of this id, or of each scenario the newest; a sentence where there is none. */
export async function findRun(store: Store, lane: Lane, id: string | null): Promise<RunFigures | string> {
  const wanted = id ?? lane.newest?.id;
  if (wanted === undefined) return `${lane.name} has no runs yet.`;
  const found = await (id === null ? store.newest(lane) : store.run(lane, id));
  if (!isProblem(found)) return found;
  return found.missing ? `${lane.name} has no run ${wanted}.` : found.problem;
}

/** The newest run; `null` where there is none that can be read. */
export async function newestRun(store: Store, lane: Lane | undefined): Promise<RunFigures | null> {
  const found = lane === undefined ? '' : await findRun(store, lane, null);
  return typeof found === 'string' ? null : found;
}

/** All runs, newest first. */
export async function allRuns(store: Store, lane: Lane): Promise<Run[]> {
  const period = lane.runs === 0 ? null : orNull(await store.period(lane));
  return [...(period?.runs ?? [])].reverse();
}
