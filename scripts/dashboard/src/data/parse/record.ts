// data/<lane>/<run id>.json: a record.
import type * as Published from '../generated/published';
import type { RunRecord, TrialTable } from '../types';
import * as border from './border';
import { summary } from './summary';

const NEWEST_VERSION = 4;
/** More splits than these no machine has to choose from. */
const MOST_SPLITS = 64;

export function record(value: unknown): RunRecord | string {
  const source = border.entries<Published.Record>(value);
  const notices = new border.Notices();
  const refused = border.refusal(source, NEWEST_VERSION, 'this record');
  if (refused !== null) return refused;
  const id = border.name(source.get('id'));
  if (id === null) return 'this record does not say its id';
  const environment = border.entries<Published.Environment>(source.get('environment'));
  const tried = border.items(environment.get('splits')).slice(0, MOST_SPLITS);
  environment.delete('splits');
  const apps = border.items(source.get('apps')).map(app => flat(border.entries(app)));
  const seed = source.get('seed');
  return {
    id,
    lane: border.text(source.get('lane')) ?? '',
    environment: flat(environment),
    harness: flat(border.entries(source.get('harness'))),
    seed: typeof seed === 'number' || typeof seed === 'string' ? String(seed) : null,
    warnings: border.texts(environment.get('warnings')),
    apps,
    splits: tried.map(each => split(each, notices)),
    summary: summary(source.get('summary'), apps.length, notices),
    trials: trials(source.get('trials')),
  };
}

const cpus: border.Plain<readonly number[], string> = value =>
  border.text(
    border
      .items(value)
      .flatMap(cpu => border.atLeastZero(cpu) ?? [])
      .join(', '),
  ) ?? '';

export const split = border.object<Published.SplitTried>()({
  server_cpus: cpus,
  generator_cpus: cpus,
  goodput_rps: border.atLeastZero,
  server_cpu_share: border.atLeastZero,
  generator_cpu_share: border.atLeastZero,
});

/** Fields as texts; nested ones by their path. Lists of words are joined, anything deeper is left out. */
function flat(fields: Map<string, unknown>, prefix = ''): Map<string, string> {
  const found = new Map<string, string>();
  for (const [key, value] of fields) {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      found.set(prefix + key, border.text(String(value)) ?? '');
    } else if (Array.isArray(value)) {
      if (key === 'load_machines') {
        value.forEach((item, place) => {
          for (const [inner, text] of flat(border.entries(item), `load_machine_${place + 1}.`)) found.set(inner, text);
        });
      } else if (key !== 'warnings') {
        found.set(prefix + key, value.filter(item => typeof item !== 'object').join(', '));
      }
    } else if (prefix === '') {
      for (const [inner, text] of flat(border.entries(value), `${key}.`)) found.set(inner, text);
    }
  }
  return found;
}

function trials(value: unknown): TrialTable {
  const rows = border.items(value);
  const columns: TrialTable['columns'] = new Map();
  rows.forEach((trial, place) => {
    collect(border.entries(trial), '', (path, item) => {
      const column = columns.get(path) ?? new Array(rows.length).fill(null);
      column[place] = cell(item);
      columns.set(path, column);
    });
  });
  return { rows: rows.length, columns };
}

/** Thousands of numbers for each trial, which a table cannot show; the download has them. */
const SLICES: keyof Published.Trial = 'slices';

/** Calls for each leaf: what is no object, with its path. Two levels are all that a trial has. */
function collect(fields: Map<string, unknown>, prefix: string, leaf: (path: string, value: unknown) => void): void {
  for (const [key, value] of fields) {
    if (key === SLICES) continue;
    const nested = border.entries(value);
    if (nested.size > 0 && prefix === '') collect(nested, `${key}.`, leaf);
    else leaf(prefix + key, value);
  }
}

function cell(value: unknown): string | number | null {
  if (typeof value === 'number') return border.finite(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return border.text(value.filter(item => typeof item === 'string').join('; '));
  return border.text(value);
}
