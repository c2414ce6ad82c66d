// How often the judgements are wrong, as `bench compare --self-test` and `bench history --self-test` wrote it. Their files are part
// of the site, but an older or a later harness may have written them: what is not there is not shown.
import type { Figure } from '../types';
import * as border from './border';

export interface Comparisons {
  app: string | null;
  machine: string | null;
  pairs: Figure;
  /** Comparisons as they were made, with the most that the share of wrong ones can be. */
  live: { comparisons: number; named: number; atMost: number } | null;
  /** Comparisons whose pairs were drawn from those again. */
  drawn: { comparisons: number; named: number } | null;
  power: { scenario: string; gauge: string; judged: boolean; smallest: Figure }[];
}

/** Of simulated histories of one kind. */
export interface Rates {
  /** Its key in the file. */
  kind: string;
  apps: number;
  ownNoise: Figure;
  autocorrelation: Figure;
  histories: number;
  /** Found after so many runs that have it, by size. */
  found: { size: number; afterRuns: number[] }[];
  appWeeks: number;
  falseChanges: number;
}

/** Of simulated histories in which most apps change at once. */
export interface Shared {
  apps: number;
  touched: number;
  size: number;
  histories: number;
  afterRuns: number[];
  bystandersBetter: number;
  machineBlamed: number;
}

export interface Histories {
  /** One for each kind that has a name. */
  named: Rates[];
  /** Over own noise and autocorrelation. */
  grid: Rates[];
  shared: Shared[];
}

const counts = (value: unknown): number[] =>
  Array.isArray(value) ? value.map(each => border.atLeastZero(each) ?? 0) : [];

/** All of these fields as figures, or `null` where one is missing. */
function figures<K extends string>(fields: Map<string, unknown>, keys: readonly K[]): Record<K, number> | null {
  const found = keys.map(key => [key, border.atLeastZero(fields.get(key))] as const);
  return found.some(([, figure]) => figure === null) ? null : (Object.fromEntries(found) as Record<K, number>);
}

export function comparisons(value: unknown): Comparisons {
  const source = border.entries(value);
  const environment = border.entries(source.get('environment'));
  const cpu = border.text(environment.get('cpu_model'));
  const live = figures(border.entries(source.get('live')), ['comparisons', 'named', 'at_most']);
  const older = figures(source, ['comparisons', 'false_alarms']);
  const drawn = figures(border.entries(source.get('drawn')), ['comparisons', 'named']);
  return {
    app: border.text(source.get('app')),
    machine: cpu === null ? null : `${cpu}, ${border.finite(environment.get('logical_cpus')) ?? '?'} cpus`,
    pairs: border.atLeastZero(source.get('pairs')),
    live: live && { comparisons: live.comparisons, named: live.named, atMost: live.at_most },
    drawn: drawn ?? (older && { comparisons: older.comparisons, named: older.false_alarms }),
    power: border.list(source.get('power'), power, 'power', new border.Notices()),
  };
}

function power(value: unknown): Comparisons['power'][number] | null {
  const fields = border.entries(value);
  const [scenario, gauge] = [border.text(fields.get('scenario')), border.text(fields.get('gauge'))];
  if (scenario === null || gauge === null) return null;
  return {
    scenario,
    gauge,
    judged: fields.get('judged') === true,
    smallest: border.atLeastZero(fields.get('smallest')),
  };
}

export function histories(value: unknown): Histories {
  const found: Histories = { named: [], grid: [], shared: [] };
  for (const [kind, body] of border.entries(value)) {
    const isList = Array.isArray(body);
    for (const each of isList ? (body as unknown[]) : [body]) {
      const [simulated, shared] = [rates(kind, each), sharedChange(each)];
      if (simulated !== null) (isList ? found.grid : found.named).push(simulated);
      else if (shared !== null) found.shared.push(shared);
    }
  }
  return found;
}

function rates(kind: string, value: unknown): Rates | null {
  const fields = border.entries(value);
  const known = figures(fields, ['apps', 'histories', 'app_weeks', 'false_changes']);
  if (known === null || known.histories === 0) return null;
  return {
    kind,
    apps: known.apps,
    ownNoise: border.atLeastZero(fields.get('own_noise')),
    autocorrelation: border.finite(fields.get('autocorrelation')),
    histories: known.histories,
    found: border.list(fields.get('found'), foundOf, 'found', new border.Notices()),
    appWeeks: known.app_weeks,
    falseChanges: known.false_changes,
  };
}

function foundOf(value: unknown): Rates['found'][number] | null {
  const fields = border.entries(value);
  const size = border.finite(fields.get('size'));
  return size === null ? null : { size, afterRuns: counts(fields.get('after_runs')) };
}

function sharedChange(value: unknown): Shared | null {
  const fields = border.entries(value);
  const known = figures(fields, ['apps', 'touched', 'size', 'histories', 'bystanders_better', 'machine_blamed']);
  if (known === null || known.histories === 0) return null;
  const { apps, touched, size, histories } = known;
  const afterRuns = counts(fields.get('after_runs'));
  return {
    apps,
    touched,
    size,
    histories,
    afterRuns,
    bystandersBetter: known.bystanders_better,
    machineBlamed: known.machine_blamed,
  };
}
