// data/index.json: the lanes, their newest run and their periods.
import type * as Published from '../generated/published';
import type { Index, Lane } from '../types';
import { atLeastZero, entries, list, type Notices, name, object, type Plain, refusal } from './border';
import { run } from './run';

const NEWEST_VERSION = 2;
/** More are not listed. */
const MOST_PARTIAL = 100;

const matching =
  (pattern: RegExp): Plain<string, string | null> =>
  value =>
    typeof value === 'string' && pattern.test(value) ? value : null;
const month = matching(/^\d{4}-(0[1-9]|1[0-2])$/);
const year = matching(/^\d{4}$/);

export function index(value: unknown, notices: Notices): Index | string {
  const source = entries<Published.Index>(value);
  const refused = refusal(source, NEWEST_VERSION, 'data/index.json');
  if (refused !== null) return refused;
  const lanes = new Map<string, Lane>();
  for (const [key, body] of entries(source.get('lanes'))) {
    const laneName = name(key);
    if (laneName === null) {
      notices.add('index: a lane whose name cannot be an address was left out');
      continue;
    }
    const fields = entries<Published.LaneIndex>(body);
    const partial = object<Published.Partial>()({ newest: list(run, `index, partial runs of ${laneName}`) });
    const { newest } = partial(fields.get('partial'), notices);
    lanes.set(laneName, { ...series(laneName, laneName, body, notices), partial: newest.slice(0, MOST_PARTIAL) });
    for (const [profile, of] of entries(fields.get('others'))) {
      if (name(profile) === null) notices.add(`index: a profile of ${laneName} that cannot be an address was left out`);
      else {
        const key = `${laneName}:${profile}`;
        lanes.set(key, { ...series(key, laneName, of, notices), partial: [] });
      }
    }
  }
  return { lanes };
}

const unique = (periods: string[]) => [...new Set(periods)].sort();

/** What a lane's principal series has, and one of another profile beside it. */
type SeriesIndex = Published.LaneIndex & Published.KindIndex;

function series(key: string, place: string, value: unknown, notices: Notices): Omit<Lane, 'partial'> {
  const read = object<SeriesIndex>()({
    runs: atLeastZero,
    newest: run,
    months: list(month, `index, months of ${key}`),
    years: list(year, `index, years of ${key}`),
  });
  const { runs, newest, months, years } = read(value, notices);
  return { name: key, place, runs: runs ?? 0, newest, months: unique(months), years: unique(years) };
}
