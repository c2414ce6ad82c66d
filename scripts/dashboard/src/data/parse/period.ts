// data/<lane>/series/<period>/runs.json: which runs there were, of what, and how they were asked.
import type * as Published from '../generated/published';
import type { Period, Scenario, Subject } from '../types';
import * as border from './border';
import { run } from './run';

const NEWEST_VERSION = 1;

export function period(value: unknown, notices: border.Notices): Period | string {
  const source = border.entries<Published.Runs>(value);
  const refused = border.refusal(source, NEWEST_VERSION, 'runs.json');
  if (refused !== null) return refused;

  // Lists have one place for each run, so a run that is left out takes its place in every list with it.
  const raw = border.items(source.get('runs'));
  const read = raw.map(each => run(each, notices));
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
    binary_bytes: lists(source.get('binary_bytes'), border.atLeastZero),
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
  each: (key: string, body: unknown, notices: border.Notices) => T | null,
  what: string,
  notices: border.Notices,
): Map<string, T> {
  const found = new Map<string, T>();
  for (const [key, body] of border.entries(value)) {
    const typed = each(key, body, notices);
    if (typed === null) notices.add(`a ${what} that is not understood was left out`);
    else found.set(key, typed);
  }
  return found;
}

/** Kinds of work that a framework documents no way for, with the reasons. */
const services: border.Plain<Published.Services, Map<string, string>> = value => {
  const reasons = border.entries(border.entries<Published.Services>(value).get('not_offered'));
  return new Map([...reasons].map(([kind, reason]) => [kind, border.text(reason) ?? '']));
};

const served = border.object<Published.Served>()(
  { kind: border.word<Published.Service>(), routes: border.atLeastZero, layers: border.atLeastZero },
  'kind',
);

export const subjectFields = border.object<Published.SeriesSubject>()(
  {
    name: border.text,
    link: border.link,
    role: border.oneOf<Published.Role>({ framework: 1, reference: 1, ceiling: 1 }),
    tier: border.oneOf<Published.Tier>({ maintained: 1, engine: 1, legacy: 1, own_stack: 1, driver: 1 }),
    framework: border.text,
    protocols: border.texts,
    known_fault: border.text,
    services,
  },
  'role',
  'tier',
);

function subject(key: string, body: unknown, notices: border.Notices): Subject | null {
  const fields = subjectFields(body, notices);
  if (fields === null || border.subjectKey(key) === null) return null;
  const [app = '', variant = 'default'] = key.split(':');
  return { ...fields, key, app, variant, name: fields.name ?? app };
}

/** A load model that is not known may not be taken for another: its latencies would be read wrongly. */
const load: border.Plain<Published.LoadModel, Published.LoadModel | null> = value => {
  const fields = border.entries<Published.LoadModel & { rate_rps: number; p99_ms: number }>(value);
  const rate_rps = border.atLeastZero(fields.get('rate_rps'));
  const p99_ms = border.atLeastZero(fields.get('p99_ms'));
  const model = fields.get('model');
  if (model === 'closed') return { model };
  if (model === 'open' && rate_rps !== null) return { model, rate_rps };
  if (model === 'capacity' && p99_ms !== null) return { model, p99_ms };
  return null;
};

export const scenarioFields = border.object<Published.Scenario>()(
  {
    title: border.text,
    stands_for: border.text,
    method: border.word<Published.Method>(),
    path: border.text,
    protocol: border.word<Published.Protocol>(),
    connections: border.atLeastZero,
    workers: border.atLeastZero,
    round_trip_us: border.atLeastZero,
    streams: border.atLeastZero,
    keep_alive: (value: unknown) => value !== false,
    isolation: border.word<Published.Isolation>(),
    load,
    seconds: border.atLeastZero,
    slice_seconds: border.atLeastZero,
    varies: border.object<Published.Varies>()(
      { like: border.name, by: border.word<Published.Dimension>() },
      'like',
      'by',
    ),
    service: served,
  },
  'load',
);

function scenario(key: string, body: unknown, notices: border.Notices): Scenario | null {
  const fields = scenarioFields(body, notices);
  const id = border.name(key);
  return fields === null || id === null ? null : { ...fields, id, title: fields.title ?? id };
}
