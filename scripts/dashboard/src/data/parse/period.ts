// data/<lane>/series/<period>/runs.json: which runs there were, of what, and how they were asked.
import type { Load, Period, Role, Scenario, Subject, Tier } from '../types';
import * as border from './border';
import { runDetail } from './run';

const NEWEST_VERSION = 1;
const TIERS: readonly string[] = ['maintained', 'engine', 'legacy'] satisfies Tier[];
const ROLES: readonly string[] = ['framework', 'reference', 'ceiling'] satisfies Role[];

export function period(value: unknown, notices: border.Notices): Period | string {
  const source = border.entries(value);
  const refused = border.refusal(source, NEWEST_VERSION, 'runs.json');
  if (refused !== null) return refused;

  // Lists have one place for each run, so a run that is left out takes its place in every list with it.
  const raw: unknown[] = Array.isArray(source.get('runs')) ? (source.get('runs') as unknown[]) : [];
  const read = raw.map(runDetail);
  const places = read.flatMap((run, place) => (run === null ? [] : [place]));
  if (places.length < raw.length) notices.add('a run without an id or a time was left out');
  const aligned = <T>(values: unknown, each: (item: unknown) => T | null): (T | null)[] => {
    const all = border.row(values, raw.length, each);
    return places.map(place => all[place] ?? null);
  };

  const lists = <T>(values: unknown, each: (item: unknown) => T | null) => {
    const found = new Map<string, (T | null)[]>();
    for (const [key, value] of border.entries(values)) {
      if (border.subjectKey(key) !== null) found.set(key, aligned(value, each));
    }
    return found;
  };

  return {
    lane: border.name(source.get('lane')) ?? '',
    period: border.text(source.get('period')) ?? '',
    runs: read.filter(run => run !== null),
    points: Array.isArray(source.get('points')) ? aligned(source.get('points'), border.atLeastZero) : null,
    subjects: keyed(source.get('subjects'), subject, 'subject', notices),
    versions: lists(source.get('versions'), border.text),
    binaryBytes: lists(source.get('binary_bytes'), border.atLeastZero),
    scenarios: leading(keyed(source.get('scenarios'), scenario, 'scenario', notices)),
  };
}

/** The scenario that a reader meets first: what every other kind of work pays as well. */
const FIRST = 'plaintext';

function leading<T>(found: Map<string, T>): Map<string, T> {
  return new Map([...found].sort(([a], [b]) => Number(b === FIRST) - Number(a === FIRST)));
}

function keyed<T>(
  value: unknown,
  each: (key: string, fields: Map<string, unknown>) => T | null,
  what: string,
  notices: border.Notices,
): Map<string, T> {
  const found = new Map<string, T>();
  for (const [key, body] of border.entries(value)) {
    const typed = each(key, border.entries(body));
    if (typed === null) notices.add(`a ${what} that is not understood was left out`);
    else found.set(key, typed);
  }
  return found;
}

function subject(key: string, fields: Map<string, unknown>): Subject | null {
  if (border.subjectKey(key) === null) return null;
  const [app = '', variant = 'default'] = key.split(':');
  const role = fields.get('role');
  const tier = fields.get('tier');
  if (typeof role !== 'string' || !ROLES.includes(role)) return null;
  if (typeof tier !== 'string' || !TIERS.includes(tier)) return null;
  return {
    key,
    app,
    variant,
    name: border.text(fields.get('name')) ?? app,
    link: border.link(fields.get('link')),
    role: role as Role,
    tier: tier as Tier,
    framework: border.text(fields.get('framework')),
    protocols: border.texts(fields.get('protocols')),
    knownFault: border.text(fields.get('known_fault')),
  };
}

function scenario(key: string, fields: Map<string, unknown>): Scenario | null {
  const id = border.name(key);
  const load = loadModel(fields.get('load'));
  if (id === null || load === null) return null;
  const varies = border.entries(fields.get('varies'));
  const like = border.name(varies.get('like'));
  const by = border.text(varies.get('by'));
  return {
    id,
    title: border.text(fields.get('title')) ?? id,
    method: border.text(fields.get('method')),
    path: border.text(fields.get('path')),
    protocol: border.text(fields.get('protocol')),
    connections: border.atLeastZero(fields.get('connections')),
    streams: border.atLeastZero(fields.get('streams')),
    keepAlive: fields.get('keep_alive') !== false,
    isolation: border.text(fields.get('isolation')),
    load,
    seconds: border.atLeastZero(fields.get('seconds')),
    varies: like !== null && by !== null ? { like, by } : null,
  };
}

/** A load model that is not known may not be taken for another: its latencies would be read wrongly. */
function loadModel(value: unknown): Load | null {
  const fields = border.entries(value);
  const rate = border.atLeastZero(fields.get('rate_rps'));
  const p99 = border.atLeastZero(fields.get('p99_ms'));
  const model = fields.get('model');
  if (model === 'closed') return { model };
  if (model === 'open' && rate !== null) return { model, rate };
  if (model === 'capacity' && p99 !== null) return { model, p99 };
  return null;
}
