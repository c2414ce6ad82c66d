// Scenarios in families: one that stands for itself, and its variations by protocol, connections or rate.

import type { Dimension, Metric } from './generated/published';
import { CPU } from './metrics';
import { plural } from './names';
import type { Scenario } from './types';
import { words } from './words';

interface Family {
  base: Scenario;
  /** Dimension (`protocol`, `connections`, `rate`, …) and the scenarios that differ in it, the base first. */
  dimensions: Map<Dimension, Scenario[]>;
}

export function families(scenarios: Map<string, Scenario>): Family[] {
  const found = new Map<string, Family>();
  for (const scenario of scenarios.values()) {
    // A variation whose base was not measured stands for itself.
    if (baseOf(scenario, scenarios) === scenario) found.set(scenario.id, { base: scenario, dimensions: new Map() });
  }
  for (const scenario of scenarios.values()) {
    const base = baseOf(scenario, scenarios);
    const family = found.get(base.id);
    if (base === scenario || family === undefined || !scenario.varies) continue;
    const { by } = scenario.varies;
    const others = family.dimensions.get(by) ?? [base];
    family.dimensions.set(by, [...others, scenario]);
  }
  for (const family of found.values()) {
    for (const members of family.dimensions.values()) members.sort(naturally);
  }
  return [...found.values()];
}

/** By connections, then by rate, with searches last: the order in which a ladder is climbed. */
function naturally(a: Scenario, b: Scenario): number {
  const rate = ({ load }: Scenario) => (load.model === 'closed' ? 0 : load.model === 'open' ? load.rate_rps : Infinity);
  const order: string[] = words.protocols.map(({ id }) => id);
  const protocol = (s: Scenario) => order.indexOf(s.protocol ?? '');
  const byRate = rate(a) === rate(b) ? 0 : rate(a) - rate(b);
  const size = ({ service }: Scenario) => (service?.routes ?? 0) + (service?.layers ?? 0);
  return byRate || protocol(a) - protocol(b) || size(a) - size(b) || a.connections - b.connections;
}

function baseOf(scenario: Scenario, all: Map<string, Scenario>): Scenario {
  // Bounded, because a file may name itself as its base.
  let current = scenario;
  for (let step = 0; step < 4; step += 1) {
    const next = all.get(current.varies?.like ?? '');
    if (next === undefined && step === 0) return lowestRate(scenario, all);
    if (next === undefined || next === scenario) return next === undefined ? current : scenario;
    current = next;
  }
  return current;
}

/** Where only rates were measured, the lowest stands for what they vary. */
function lowestRate(scenario: Scenario, all: Map<string, Scenario>): Scenario {
  const isSibling = ({ varies }: Scenario) => varies?.by === 'rate' && varies.like === scenario.varies?.like;
  return isSibling(scenario) ? ([...all.values()].filter(isSibling).sort(naturally)[0] ?? scenario) : scenario;
}

const PROTOCOLS: ReadonlyMap<string, string> = new Map(words.protocols.map(({ id, label }) => [id, label]));

export const protocolLabel = (protocol: string | undefined): string =>
  PROTOCOLS.get(protocol ?? '') ?? protocol ?? 'unknown';

/** What a scenario is along one dimension, in a word or two. */
export function along(scenario: Scenario, dimension: Dimension): string {
  switch (dimension) {
    case 'protocol':
      return protocolLabel(scenario.protocol);
    case 'connections':
      return `${scenario.connections} connections`;
    case 'rate':
      return rateLabel(scenario);
    case 'keep-alive':
      return scenario.keep_alive ? 'kept connections' : 'a new connection each';
    case 'isolation':
      return scenario.isolation ?? scenario.id;
    case 'routes':
      return plural(scenario.service?.routes ?? 1, 'route');
    case 'layers':
      return plural(scenario.service?.layers ?? 0, 'layer');
    case 'workers':
      return scenario.workers == null ? scenario.id : plural(scenario.workers, 'worker');
    case 'round-trip':
      return scenario.round_trip_us == null ? scenario.id : `${scenario.round_trip_us / 1000} ms there and back`;
    case 'refusal':
      return scenario.refused ? scenario.title : 'The good answer';
    default:
      return scenario.id;
  }
}

function rateLabel({ load }: Scenario): string {
  if (load.model === 'open') return `${load.rate_rps.toLocaleString('en')} req/s`;
  return load.model === 'capacity' ? 'highest rate kept' : 'as fast as it goes';
}

/** A title that is the base's is followed by what differs, so that two scenarios never read alike. */
export function fullTitle(scenario: Scenario, all: Map<string, Scenario>): string {
  const base = baseOf(scenario, all);
  if (!scenario.varies || base.title !== scenario.title) return scenario.title;
  return `${scenario.title}: ${along(scenario, scenario.varies.by)}`;
}

/** The full titles of all, by id. */
export const titlesOf = (all: Map<string, Scenario>): Map<string, string> =>
  new Map([...all.values()].map(each => [each.id, fullTitle(each, all)]));

/** Kinds of work and features in a word or two, where their ids are no words that people use. */
const SHORT: Record<string, string> = {
  hello: 'JSON answer',
  simple: 'JSON body',
  heavy: '10,000 items',
  cpu: 'Fibonacci',
  ram: '40 MiB filled',
  timed: '20 ms asleep',
  database: 'PostgreSQL',
  db: 'One row',
  fortunes: 'HTML of rows',
  orders: 'New order',
  json: 'JSON',
  'json-64k': 'JSON of 64 KiB',
  'static-4k': 'Files of 4 KiB',
  'static-1m': 'Files of 1 MiB',
  events: 'Server-sent events',
  websocket: 'WebSocket',
  'websocket-64': 'WebSocket, 64 B',
  'websocket-16k': 'WebSocket, 16 KiB',
  'websocket-c1000': '1,000 WebSockets',
};

export const shortTitle = (id = ''): string =>
  SHORT[id] ?? id.charAt(0).toUpperCase() + id.slice(1).replaceAll('-', ' ');

/** What a scenario is about: latency where the rate is fixed, the rate where it is searched for, CPU everywhere else. */
export function ownMetric(scenario: Scenario | undefined): Metric {
  if (scenario?.load.model === 'open') return 'latency_p50_ms';
  return scenario?.load.model === 'capacity' ? 'capacity_rps' : CPU.id;
}

/** Why latencies of a closed loop are no more than figures in a table: they follow from the number of connections. */
export const NO_CURVE =
  'In a closed loop latency is the length of the queue, not the speed of the server: there is no curve of it.';
