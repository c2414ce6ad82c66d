// data/probes/breaks.json: what breaks, judged; data/probes/index.json: which cases began or ceased to fail.
import type * as Published from '../generated/published';
import type { Breaks, ProbeChanges } from '../types';
import * as border from './border';
import { cause } from './changes';

const NEWEST_VERSION = 1;
const { name, text, flag, figures, list, object, oneOf, time, word } = border;

const LEVELS = oneOf<Published.Level>({ must: 1, should: 1, may: 1 });

export const probeCase = object<Published.ProbeCase>()(
  {
    id: name,
    group: word<Published.Group>(),
    title: text,
    level: LEVELS,
    source: text,
    demand: text,
    smuggles: flag,
    sent: border.escaped,
  },
  'id',
  'group',
  'title',
  'level',
);

const engine = object<Published.Engine>()({ app: name, version: text }, 'app');

export const probedServer = object<Published.ProbedServer>()(
  {
    app: name,
    variant: name,
    name: text,
    role: oneOf<Published.Role>({ framework: 1, reference: 1, ceiling: 1 }),
    tier: oneOf<Published.Tier>({ maintained: 1, engine: 1, legacy: 1, own_stack: 1, driver: 1 }),
    version: text,
    engine,
    not_probed: text,
    made: figures,
  },
  'app',
  'variant',
  'name',
  'role',
  'tier',
);

export const serverResult = object<Published.ServerResult>()(
  {
    app: name,
    variant: name,
    protocol: word<Published.Protocol>(),
    case: name,
    outcome: oneOf<Published.ProbeOutcome>({ passed: 1, failed: 1, flickered: 1, not_applicable: 1 }),
    of_engine: flag,
    got: text,
    received: border.escaped,
    figures,
  },
  'app',
  'variant',
  'protocol',
  'case',
  'outcome',
);

const head = object<Published.WhatBreaks>()(
  {
    id: name,
    started_at: time,
    cpu_model: text,
    logical_cpus: border.atLeastZero,
    cases: list(probeCase, 'cases that probe'),
    servers: list(probedServer, 'servers that were probed'),
    results: list(serverResult, 'results of probes'),
  },
  'id',
  'started_at',
);

export function breaks(value: unknown, notices: border.Notices): Breaks | string {
  const refused = border.refusal(border.entries(value), NEWEST_VERSION, 'breaks.json');
  if (refused !== null) return refused;
  const read = head(value, notices);
  if (read === null) return 'it does not say of when it is';
  const cases = new Map(read.cases.map(each => [each.id, each]));
  const results = read.results.filter(each => cases.has(each.case));
  if (results.length < read.results.length) notices.add('results of probes: those of unknown cases were left out');
  return { ...read, cases, results };
}

export const probeChange = object<Published.ProbeChange>()(
  {
    app: name,
    variant: name,
    protocol: word<Published.Protocol>(),
    case: name,
    fails: flag,
    got: text,
    run: name,
    started_at: time,
    causes: list(cause, 'causes'),
  },
  'app',
  'variant',
  'case',
  'started_at',
);

export const standing = object<Published.Standing>()({ id: name, started_at: time, failed: failedBy }, 'id');

/** By the label of a server, `axum (tuned)`, which is no name. */
function failedBy(value: unknown): Map<string, number> {
  const entries = [...border.entries(value)];
  return new Map(entries.flatMap(([label, failed]) => (Number.isInteger(failed) ? [[label, failed as number]] : [])));
}

export function probeChanges(value: unknown, notices: border.Notices): ProbeChanges | string {
  const source = border.entries<Published.ProbeStory>(value);
  const refused = border.refusal(source, NEWEST_VERSION, 'probes/index.json');
  if (refused !== null) return refused;
  return {
    runs: list(standing, 'probes')(source.get('runs') as never, notices),
    changes: list(probeChange, 'changes of probes')(source.get('changes') as never, notices),
  };
}
