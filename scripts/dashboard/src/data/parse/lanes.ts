// data/index.json: the lanes, their newest run and their periods.
import type { Index, Lane } from '../types';
import { atLeastZero, entries, list, type Notices, name, refusal } from './border';
import { run, runDetail } from './run';

const NEWEST_VERSION = 2;
/** More are not listed. */
const MOST_PARTIAL = 100;

const month = (value: unknown) => (typeof value === 'string' && /^\d{4}-(0[1-9]|1[0-2])$/.test(value) ? value : null);
const year = (value: unknown) => (typeof value === 'string' && /^\d{4}$/.test(value) ? value : null);

export function index(value: unknown, notices: Notices): Index | string {
  const source = entries(value);
  const refused = refusal(source, NEWEST_VERSION, 'data/index.json');
  if (refused !== null) return refused;
  const lanes = new Map<string, Lane>();
  for (const [key, body] of entries(source.get('lanes'))) {
    const laneName = name(key);
    if (laneName === null) {
      notices.add('index: a lane whose name cannot be an address was left out');
      continue;
    }
    const fields = entries(body);
    lanes.set(laneName, {
      name: laneName,
      runs: atLeastZero(fields.get('runs')) ?? 0,
      newest: run(fields.get('newest')),
      partial: list(
        entries(fields.get('partial')).get('newest'),
        runDetail,
        `index, partial runs of ${laneName}`,
        notices,
      ).slice(0, MOST_PARTIAL),
      months: unique(list(fields.get('months'), month, `index, months of ${laneName}`, notices)),
      years: unique(list(fields.get('years'), year, `index, years of ${laneName}`, notices)),
    });
  }
  return { lanes };
}

const unique = (periods: string[]) => [...new Set(periods)].sort();
