// Kinds of runs: a lane has a series for each profile. Each gives other work to other servers, so each is looked at by itself.
import type { Index, Lane } from './types';

export interface Kind {
  /** The name of the series: `hosted-x64`, `hosted-x64:database`. */
  lane: string;
  profile: string;
  label: string;
}

/** The profile that compares widths of a server. */
export const SCALING = 'scaling';

/** What people call the runs of a profile; others are called by its name. */
const LABELS: Record<string, string> = {
  weekly: 'Without a database',
  quick: 'Without a database',
  database: 'With a database',
  drivers: 'Drivers',
  pools: 'Pool sizes',
  services: 'Services',
  latency: 'Latency',
  protocols: 'TLS and HTTP/2',
  variants: 'Variants',
  scaling: 'Scaling',
};

/** Profiles that repeat another one's work with other variants or at other widths. */
const WITH_A_PAGE: ReadonlySet<string> = new Set(['variants', 'pools', SCALING]);

export const hasOwnPage = (lane: string): boolean => WITH_A_PAGE.has(lane.split(':')[1] ?? '');

export const labelOf = (profile: string): string => LABELS[profile] ?? profile;

/** The kinds of runs of the place where these runs were made, as the index has them; those without a run are left out. */
export function kindsOf(index: Index, { place }: Lane): Kind[] {
  return [...index.lanes.values()]
    .filter(lane => lane.place === place && lane.runs > 0)
    .map(lane => {
      const profile = lane.name.split(':')[1] ?? lane.newest?.profile ?? lane.name;
      return { lane: lane.name, profile, label: labelOf(profile) };
    });
}
