// Where runs were made, and where their files lie. Before all other code is here, this says what is needed first.
import type * as Published from './generated/published';
import type { Index, Lane, Run, Timed } from './types';

/** A value with its times in milliseconds. */
export function timed<T extends object>(value: T): Timed<T> {
  const all = { ...value } as Record<string, unknown>;
  for (const key of ['started_at', 'finished_at']) {
    if (typeof all[key] === 'string') all[key] = Date.parse(all[key]);
  }
  return all as Timed<T>;
}

export const run = (value: Published.Run): Run => ({
  ...timed(value),
  verdicts: new Map(Object.entries(value.verdicts)),
});

export function index({ lanes }: Published.Index): Index {
  const found = new Map<string, Lane>();
  for (const [place, { profile, series, partial }] of Object.entries(lanes)) {
    const lane = (name: string, profile: string): Lane => ({
      name,
      place,
      profile,
      runs: series[profile]?.runs ?? 0,
      newest: series[profile] === undefined ? null : run(series[profile].newest),
      partial: [],
    });
    found.set(place, { ...lane(place, profile), partial: (partial?.newest ?? []).map(run) });
    for (const other of Object.keys(series).filter(other => other !== profile)) {
      const name = `${place}:${other}`;
      found.set(name, lane(name, other));
    }
  }
  return { lanes: found };
}

/** The lane of this name, or else the one with the longest history: it has most to show. */
export function chosenLane({ lanes }: Index, name = ''): Lane | null {
  const all = [...lanes.values()];
  // A link may name the profile that the place is about.
  const named = lanes.get(name) ?? all.find(({ place, profile }) => `${place}:${profile}` === name);
  const [longest] = all.filter(lane => lane.name === lane.place).sort((a, b) => b.runs - a.runs);
  return named ?? longest ?? null;
}

/** The scenario that a reader meets first. */
export const FIRST = 'hello';

export const INDEX = 'data/index.json';
/** Of all times that probes were made. */
export const PROBES = 'data/probes/index.json';
/** Of all series of a place. */
export const newestOfAll = (place: string): string => `data/${place}/newest.json.gz`;

/** The name of a file of a series, which is below that of its profile. */
export const ofSeries = (folder: string, { place, profile }: Pick<Lane, 'place' | 'profile'>): string =>
  `data/${place}/${folder}/${profile}`;
