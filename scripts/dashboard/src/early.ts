// What the first view reads, requested while the code that reads it is on its way.
import { parseRoute, type Route } from './app/route';
import { chosenLane, FIRST, INDEX, index, newestOfAll, ofSeries, PROBES } from './data/lanes';
import type { Index, Lane } from './data/types';

/** By address; `null` where it was read. */
const asked = new Map<string, Promise<Response> | null>();

/** The answer that is on its way already, once; later the file is read anew. */
export function requested(address: string): Promise<Response> {
  const found = asked.get(address) ?? fetch(address);
  asked.set(address, null);
  return found;
}

/** With one of these an address is about other files. */
const NAMED = ['run', 'for', 'weights', 'of', 'a'];

export async function early(base: URL): Promise<void> {
  const ask = (path: string): Promise<Response> | null => {
    const { href } = new URL(path, base);
    if (asked.has(href)) return null;
    const answer = fetch(href);
    asked.set(href, answer);
    return answer;
  };
  // Whoever asks for it later reads the body.
  const json = async (answer: Promise<Response> | null | undefined) => (await answer)?.clone().json();
  try {
    const all = index(await json(ask(INDEX)));
    const route = parseRoute(location.hash);
    const lane = chosenLane(all, route.parameters.get('lane'));
    if (lane === null || lane.runs === 0 || NAMED.some(name => route.parameters.has(name))) return;
    const reading = readBy(route, lane, all).map(ask);
    const series = async () => {
      const { scenarios = {} } = (await json(reading[0])) ?? {};
      const wanted = [route.parameters.get('scenario') ?? '', FIRST, ...Object.keys(scenarios)];
      const scenario = wanted.find(id => id in scenarios);
      if (scenario !== undefined) await ask(`${ofSeries('series', lane)}/${scenario}.json`);
    };
    await Promise.all([...reading, route.view === 'trends' && series()]);
  } catch {
    // Whoever reads it says what is wrong.
  }
}

function readBy({ view, subject }: Route, lane: Lane, { lanes }: Index): string[] {
  const newest = (...names: string[]) =>
    names.flatMap(name => lanes.get(name) ?? []).map(each => `${ofSeries('newest', each)}.json.gz`);
  const [history, changes] = ['series', 'changes'].map(folder => `${ofSeries(folder, lane)}.json`) as [string, string];
  switch (view) {
    case 'overview':
      return [PROBES, ...newest(lane.place)];
    case 'now':
      return newest(lane.name);
    case 'trends':
      return [history, changes];
    case 'compare':
      return [PROBES, newestOfAll(lane.place)];
    case 'framework':
      if (subject === null) return [newestOfAll(lane.place)];
      return [...new Set([...newest(lane.name, lane.place, `${lane.place}:database`), PROBES, changes])];
    default:
      return [];
  }
}
