// runs/<lane>/<run id>.json.gz: a record, as the page of one run shows it. Its trials become columns.
import type * as Published from './generated/published';
import type { RunRecord, TrialTable } from './types';

export function record(value: Published.Record): RunRecord {
  const { splits, ...environment } = value.environment;
  return {
    id: value.id,
    lane: value.lane,
    environment: flat(environment),
    harness: flat(value.harness),
    seed: String(value.seed),
    apps: value.apps.map(app => flat(app)),
    splits: (splits ?? []).map(split => ({
      ...split,
      server_cpus: split.server_cpus.join(', '),
      generator_cpus: split.generator_cpus.join(', '),
    })),
    trials: trials(value.trials),
  };
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Fields as texts; nested ones by their path. Lists of words are joined, anything deeper is left out. */
function flat(fields: object, prefix = ''): Map<string, string> {
  const found = new Map<string, string>();
  const nested = (value: object, prefix: string) => {
    for (const [key, text] of flat(value, prefix)) found.set(key, text);
  };
  for (const [key, value] of Object.entries(fields)) {
    if (['string', 'number', 'boolean'].includes(typeof value)) {
      found.set(prefix + key, String(value));
    } else if (key === 'load_machines') {
      (value as object[]).forEach((item, place) => void nested(item, `load_machine_${place + 1}.`));
    } else if (Array.isArray(value)) {
      if (key !== 'warnings') found.set(prefix + key, value.filter(item => typeof item !== 'object').join(', '));
    } else if (isObject(value) && prefix === '') {
      nested(value, `${key}.`);
    }
  }
  return found;
}

function trials(rows: Published.Trial[]): TrialTable {
  const columns: TrialTable['columns'] = new Map();
  rows.forEach((trial, place) => {
    for (const [path, value] of leaves(trial)) {
      const column = columns.get(path) ?? new Array(rows.length).fill(null);
      column[place] = cell(value);
      columns.set(path, column);
    }
  });
  return { rows: rows.length, columns };
}

/** What is no object, with its path. Two levels are all that a trial has. */
const leaves = (trial: object): [string, unknown][] =>
  Object.entries(trial).flatMap(([key, value]) =>
    isObject(value)
      ? Object.entries(value).map(([inner, leaf]): [string, unknown] => [`${key}.${inner}`, leaf])
      : [[key, value]],
  );

function cell(value: unknown): string | number | null {
  if (typeof value === 'number' || value === null) return value;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return Array.isArray(value) ? value.join('; ') || null : String(value);
}
