// Releases of a crate beneath a server: where they lie in the chart, and what they brought.
import type * as Published from './generated/published';
import type { CrateReleases, Figure, Upgrade } from './types';

/** A release in one kind of work. */
export interface ReleasePoint {
  release: Upgrade;
  counts: Published.Counts;
  /** When it was published, in milliseconds since 1970. */
  at: number;
  /** Since the first point, as a share. */
  change: number;
}

/** From the oldest version on that changes lead back to. */
export function pointsOf({ releases }: CrateReleases, scenario: number): ReleasePoint[] {
  let points: ReleasePoint[] = [];
  let factor = 1;
  for (const release of releases) {
    const counts = release.counts[scenario];
    if (counts == null) continue;
    if (counts.change == null) [points, factor] = [[], 1];
    else factor *= 1 + counts.change;
    const at = release.release.published;
    if (at !== null) points.push({ release, counts, at, change: factor - 1 });
  }
  return points;
}

/** CPU time of a release against an earlier one, from where that one lies: the ends of its interval, and where its change leads. */
export interface TurnsPoint {
  found: Published.InTurns;
  at: number;
  change: number;
  low: number;
  high: number;
}

export function turnsOf(one: CrateReleases, scenario: number): TurnsPoint[] {
  const points = pointsOf(one, scenario);
  const of = (place: number) => points.find(({ release }) => release === one.releases[place]);
  return one.in_turns.flatMap(found => {
    const [from, to] = [of(found.from), of(found.to)];
    if (found.scenario !== scenario || from === undefined || to === undefined) return [];
    const place = (change: number) => (1 + from.change) * (1 + change) - 1;
    const { change, interval } = found;
    return [{ found, at: to.at, change: place(change), low: place(interval.low), high: place(interval.high) }];
  });
}

/** The changes of a release that are steps, by the places of the kinds of work, the largest first. */
export const stepsOf = ({ counts }: Upgrade): [scenario: number, change: number][] =>
  counts
    .flatMap((each, scenario): [number, number][] =>
      each?.change != null && each.is_step ? [[scenario, each.change]] : [],
    )
    .sort(([, a], [, b]) => Math.abs(b) - Math.abs(a));

/** Whole calls, before and now, where a release makes others than the version before. */
export function callsMoved({ releases }: CrateReleases, place: number): string[] {
  const calls = (at: number, scenario: number): Figure => releases[at]?.counts[scenario]?.syscalls ?? null;
  const moved = (releases[place]?.counts ?? []).map((_, scenario) => {
    const before = releases.findLastIndex((_, at) => at < place && calls(at, scenario) !== null);
    const pair = [calls(before, scenario), calls(place, scenario)].map(each => each && Math.round(each));
    return pair[0] === null || pair[1] === null || pair[0] === pair[1] ? '' : `system calls ${pair.join(' → ')}`;
  });
  return [...new Set(moved.filter(text => text !== ''))];
}
