// Runs of a lane: listing them, newest first, and finding one by its id.
import { isProblem, orNull, type Store } from './store';
import type { Lane, Period, Run } from './types';

export interface Found {
  run: Run;
  period: Period;
}

/** A run's id begins with its start, which tells the month that lists it. */
export function monthOfRun(id: string): string | null {
  const at = /^(\d{4})(\d\d)\d\dT/.exec(id);
  return at === null ? null : `${at[1]}-${at[2]}`;
}

/** The run, or a sentence why not. An id that does not tell its month is looked for in the newest. */
export async function findRun(store: Store, lane: Lane, id: string): Promise<Found | string> {
  const month = monthOfRun(id) ?? lane.months.at(-1);
  if (month === undefined || !lane.months.includes(month)) return `${lane.name} has no run ${id}.`;
  const period = await store.period(lane.name, month);
  if (isProblem(period)) return period.problem;
  const run = period.runs.find(run => run.id === id);
  return run === undefined ? `${lane.name} has no run ${id}.` : { run, period };
}

/** The runs of the newest months, newest first. */
export async function newestRuns(store: Store, lane: Lane, months: number): Promise<Found[]> {
  const loaded = await Promise.all(lane.months.slice(-months).map(month => store.period(lane.name, month)));
  return loaded
    .flatMap(period => orNull(period) ?? [])
    .flatMap(period => period.runs.map(run => ({ run, period })))
    .sort((a, b) => b.run.started_at - a.run.started_at);
}
