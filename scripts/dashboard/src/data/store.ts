// Fetches the published files, each once, and hands out what the border let pass. A file that is missing, broken or too new
// is a `Problem` with a sentence for the reader; nothing here throws.
import { Notices } from './parse/border';
import { breaks, probeChanges } from './parse/breaks';
import { changes } from './parse/changes';
import { index } from './parse/lanes';
import { period } from './parse/period';
import { record } from './parse/record';
import { scaling } from './parse/scaling';
import { series } from './parse/series';
import type { Breaks, Changes, Index, Period, ProbeChanges, RunRecord, Scaling, Series } from './types';

export interface Problem {
  problem: string;
  /** Whether there simply is no such file, which is no fault for what is optional. */
  missing: boolean;
}

export type Loaded<T> = T | Problem;

export const isProblem = (value: unknown): value is Problem =>
  typeof value === 'object' && value !== null && 'problem' in value;

/** What was read, or `null` where there is a problem. */
export const orNull = <T extends object>(value: Loaded<T>): T | null => (isProblem(value) ? null : (value as T));

/** The folder of a lane's series, or of those of a profile beside it. */
function seriesOf(lane: string): string {
  const [place, profile] = lane.split(':');
  return profile === undefined ? `${place}/series` : `${place}/series/${profile}`;
}

export class Store {
  readonly notices = new Notices();
  readonly #base: URL;
  readonly #cache = new Map<string, Promise<unknown>>();

  constructor(base: URL) {
    this.#base = base;
  }

  /** Where a file of the data lies, for links. */
  address(path: string): string {
    return new URL(`data/${path}`, this.#base).href;
  }

  index(): Promise<Loaded<Index>> {
    return this.#read('index.json', value => index(value, this.notices));
  }

  period(lane: string, name: string): Promise<Loaded<Period>> {
    return this.#read(`${seriesOf(lane)}/${name}/runs.json`, value => period(value, this.notices));
  }

  series(lane: string, name: string, scenario: string): Promise<Loaded<Series>> {
    return this.#read(`${seriesOf(lane)}/${name}/${scenario}.json`, value => series(value, this.notices));
  }

  changes(lane: string): Promise<Loaded<Changes>> {
    const [place, profile] = lane.split(':');
    return this.#read(profile === undefined ? `${place}/changes.json` : `${place}/changes/${profile}.json`, value =>
      changes(value, this.notices),
    );
  }

  /** What breaks is of no lane. */
  breaks(): Promise<Loaded<Breaks>> {
    return this.#read('probes/breaks.json', value => breaks(value, this.notices));
  }

  probeChanges(): Promise<Loaded<ProbeChanges>> {
    return this.#read('probes/index.json', value => probeChanges(value, this.notices));
  }

  /** The newest run at several widths that was made in this place. */
  scaling(place: string): Promise<Loaded<Scaling>> {
    return this.#read(`${place}/scaling.json`, value => scaling(value, this.notices));
  }

  /** `place` is where the run was made: its profile is not in the path. */
  record(place: string, run: string): Promise<Loaded<RunRecord>> {
    return this.#read(`${place}/${run}.json`, record);
  }

  /** Reads once; what could not be reached is asked for again the next time. */
  #read<T extends object>(path: string, parse: (value: unknown) => T | string): Promise<Loaded<T>> {
    const known = this.#cache.get(path);
    if (known !== undefined) return known as Promise<Loaded<T>>;
    const reading = this.#fetch(path, parse);
    this.#cache.set(path, reading);
    void reading.then(result => {
      if (isProblem(result) && !result.missing) this.#cache.delete(path);
    });
    return reading;
  }

  async #fetch<T extends object>(path: string, parse: (value: unknown) => T | string): Promise<Loaded<T>> {
    const failed = (problem: string, missing = false): Problem => ({ problem, missing });
    let body: string;
    try {
      const response = await fetch(this.address(path));
      if (response.status === 404) return failed(`data/${path} is not there`, true);
      if (!response.ok) return failed(`data/${path} could not be read: the server answered ${response.status}`);
      body = await response.text();
    } catch {
      return failed(`data/${path} could not be reached; is the network there?`);
    }
    const start = performance.now();
    let value: unknown;
    try {
      value = JSON.parse(body);
    } catch {
      return failed(`data/${path} is not JSON: it may be cut off`);
    }
    const parsed = parse(value);
    performance.measure('parse', { start, end: performance.now() });
    return typeof parsed === 'string' ? failed(`data/${path}: ${parsed}`) : parsed;
  }
}
