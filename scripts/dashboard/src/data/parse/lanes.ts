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
    const partial = list(
      entries(fields.get('partial')).get('newest'),
      runDetail,
      `index, partial runs of ${laneName}`,
      notices,
    ).slice(0, MOST_PARTIAL);
    lanes.set(laneName, { ...series(laneName, laneName, fields, notices), partial });
    for (const [profile, of] of entries(fields.get('others'))) {
      if (name(profile) === null) notices.add(`index: a profile of ${laneName} that cannot be an address was left out`);
      else {
        const key = `${laneName}:${profile}`;
        lanes.set(key, { ...series(key, laneName, entries(of), notices), partial: [] });
      }
    }
  }
  return { lanes };
}

const unique = (periods: string[]) => [...new Set(periods)].sort();

/** A lane's principal series, or one of another profile beside it. */
function series(key: string, place: string, fields: Map<string, unknown>, notices: Notices): Omit<Lane, 'partial'> {
  return {
    name: key,
    place,
    runs: atLeastZero(fields.get('runs')) ?? 0,
    newest: run(fields.get('newest')),
    months: unique(list(fields.get('months'), month, `index, months of ${key}`, notices)),
    years: unique(list(fields.get('years'), year, `index, years of ${key}`, notices)),
  };
}
