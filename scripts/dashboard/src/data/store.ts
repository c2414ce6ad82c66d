// Fetches the published files, each once. A file that is missing, cut off or of another version is a `Problem` with a sentence for the
// reader; nothing here throws.
import { requested } from '../early';
import type * as Published from './generated/published';
import * as lanes from './lanes';
import * as read from './read';
import { record } from './record';
import type { Lane, RunFigures } from './types';

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

/** Of a document with the figures of runs. */
const RUN_VERSION = 2;

export class Store {
  readonly #base: URL;
  readonly #cache = new Map<string, Promise<unknown>>();

  constructor(base: URL) {
    this.#base = base;
  }

  /** Where a file lies, for links. */
  address(path: string): string {
    return new URL(path, this.#base).href;
  }

  index() {
    return this.#read(lanes.INDEX, 3, lanes.index);
  }

  /** All runs of a lane. */
  period(lane: Lane) {
    return this.#read(`${lanes.ofSeries('series', lane)}.json`, 3, read.period);
  }

  /** The figures of all runs of a lane. */
  series(lane: Lane, scenario: string) {
    return this.#read(`${lanes.ofSeries('series', lane)}/${scenario}.json`, 3, read.series);
  }

  /** One run by itself. Its profile is not in the path. */
  run({ place }: Lane, id: string) {
    return this.#read(`data/${place}/runs/${id}.json.gz`, RUN_VERSION, read.runFigures);
  }

  /** Of each scenario of a lane the newest run. */
  newest(lane: Lane) {
    return this.#read(`${lanes.ofSeries('newest', lane)}.json.gz`, RUN_VERSION, read.runFigures);
  }

  /** Of all series of a place the newest runs by profile, with the figures that kinds of work are about and no others. */
  async newestOfAll(place: string): Promise<Map<string, RunFigures>> {
    const listed = ({ newest }: { newest: Published.RunFigures[] }) => newest;
    const all = await this.#read(lanes.newestOfAll(place), RUN_VERSION, listed);
    const found = isProblem(all) ? [] : all.map(figures => [figures.run.profile, read.runFigures(figures)] as const);
    return new Map(found);
  }

  changes(lane: Lane) {
    return this.#read(`${lanes.ofSeries('changes', lane)}.json`, 2, read.changes);
  }

  /** What breaks belongs to no lane. */
  breaks() {
    return this.#read('data/probes/breaks.json', 1, read.breaks);
  }

  clients() {
    return this.#read('data/probes/clients.json', 1, read.clients);
  }

  probeChanges() {
    return this.#read(lanes.PROBES, 1, read.probeChanges);
  }

  /** What upgrades changed belongs to no lane either. */
  releases() {
    return this.#read('data/releases.json', 1, read.releases);
  }

  /** How each run of a place was forecast by the one before it. */
  forecasts(place: string) {
    return this.#read(`data/${place}/forecasts.json`, 1, read.forecasts);
  }

  /** The newest run at several widths that was made in this place. */
  scaling(place: string) {
    return this.#read(`data/${place}/scaling.json`, 2, read.scaling);
  }

  /** `place` is where the run was made. */
  record(place: string, run: string) {
    return this.#read(`runs/${place}/${run}.json.gz`, 4, record);
  }

  /** Reads a document of this version once; what could not be reached is tried again the next time. */
  #read<From, To extends object>(path: string, version: number, convert: (value: From) => To): Promise<Loaded<To>> {
    const known = this.#cache.get(path);
    if (known !== undefined) return known as Promise<Loaded<To>>;
    const reading = this.#fetch(path, version, convert);
    this.#cache.set(path, reading);
    void reading.then(result => {
      if (isProblem(result) && !result.missing) this.#cache.delete(path);
    });
    return reading;
  }

  async #fetch<From, To extends object>(
    path: string,
    version: number,
    convert: (value: From) => To,
  ): Promise<Loaded<To>> {
    const failed = (problem: string, missing = false): Problem => ({ problem, missing });
    let bytes: ArrayBuffer;
    try {
      const response = await requested(this.address(path));
      if (response.status === 404) return failed(`${path} is not there`, true);
      if (!response.ok) return failed(`${path} could not be read: the server answered ${response.status}`);
      bytes = await response.arrayBuffer();
    } catch {
      return failed(`${path} could not be reached; is the network there?`);
    }
    const start = performance.now();
    let value: From & { schema_version?: number };
    try {
      value = JSON.parse(await textOf(bytes));
    } catch {
      return failed(`${path} is not JSON: it may be cut off`);
    }
    const found = value.schema_version;
    if (found !== version)
      return failed(
        `${path} has schema_version ${found}; this page reads version ${version}. Reload the page, or update it`,
      );
    const converted = convert(value);
    performance.measure('parse', { start, end: performance.now() });
    return converted;
  }
}

/** Some servers decompress on the way what is published compressed. */
async function textOf(bytes: ArrayBuffer): Promise<string> {
  const [first, second] = new Uint8Array(bytes);
  if (first !== 0x1f || second !== 0x8b) return new TextDecoder().decode(bytes);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
}
