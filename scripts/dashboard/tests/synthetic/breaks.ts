// data/probes: what breaks in the synthetic history, and what changed between its two newest probes.
import type * as Published from '../../src/data/generated/published';
import { words } from '../../src/data/words';
import { APPS } from './world';

const OF_HYPER = new Set(['axum', 'warp', 'poem', 'salvo', 'viz', 'gotham', 'rocket']);
const NEWEST = { id: '20261116T061700Z-b1', started_at: '2026-11-16T06:17:00Z' };
const BEFORE = { id: '20261109T061700Z-b0', started_at: '2026-11-09T06:17:00Z' };

const SERVERS = APPS.filter(({ variant }) => variant === 'default');

const probeCase = (
  id: string,
  group: Published.Group,
  title: string,
  rest: Partial<Published.ProbeCase> = {},
): Published.ProbeCase => ({
  id,
  group,
  title,
  level: 'must',
  source: 'RFC 9112, section 9.3.2',
  demand: 'Requests that come without waiting are all answered, in their order.',
  smuggles: false,
  sent: 'GET / HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n',
  ...rest,
});

const CASES: Published.ProbeCase[] = [
  probeCase('pipelined-three', 'connections', 'Three requests in one packet'),
  probeCase('host-missing', 'fields', 'No Host', { source: 'RFC 9112, section 3.2', smuggles: true }),
  probeCase('flood-ping', 'http2', 'A flood of PINGs', { level: 'should', sent: '', source: 'CVE-2019-9512' }),
  probeCase('idle-10000', 'idle-connections', '10,000 connections wait', {
    level: 'may',
    sent: '',
    source: 'the contract',
  }),
  probeCase('sigint', 'lifecycle', 'SIGINT while a connection waits', {
    level: 'should',
    sent: '',
    source: 'signal(7)',
  }),
  // As many groups as there are, so that the matrix has its width.
  ...words.groups.map(({ id, label }) => probeCase(`plain-${id}`, id, `${label}, done well`)),
];

const result = (
  app: string,
  case_: string,
  outcome: Published.ProbeOutcome,
  got: string,
  rest: Partial<Published.ServerResult> = {},
): Published.ServerResult => ({
  app,
  variant: 'default',
  protocol: 'http1',
  case: case_,
  outcome,
  of_engine: false,
  got,
  received: '',
  figures: {},
  ...rest,
});

function resultsOf(app: string): Published.ServerResult[] {
  const received = 'HTTP/1.1 200 OK\\r\\nContent-Length: 13\\r\\n\\r\\nHello, World!';
  const all: Published.ServerResult[] = [
    result(app, 'idle-10000', 'passed', '10000 of 10000 connections were answered in 0.7 s', {
      figures: { bytes_per_connection: 4_400 + 100 * app.length, connections: 10_000 },
    }),
  ];
  if (app === 'ohkami' || app === 'tide') all.push(result(app, 'pipelined-three', 'failed', '200 open', { received }));
  if (app === 'hyper' || OF_HYPER.has(app))
    all.push(result(app, 'host-missing', 'failed', '200 open', { received, of_engine: app !== 'hyper' }));
  if (app === 'ohkami') all.push(result(app, 'sigint', 'failed', 'it did not end within 5 s'));
  if (app === 'roa') all.push(result(app, 'pipelined-three', 'flickered', '200 open', { received }));
  if (app === 'nickel' || app === 'tide')
    all.push(result(app, 'flood-ping', 'not_applicable', 'it does not speak http2', { protocol: 'http2' }));
  return all;
}

/** Three times 10,000 connections, after which Ohkami keeps nothing and the others 60 of 100 MiB. */
function memoryOf({ app, name, variant }: (typeof SERVERS)[number]): Published.KeptMemory {
  const look = (seconds: number, connections: number, mebibytes: number) => ({
    seconds,
    connections,
    bytes: mebibytes * 1024 * 1024,
  });
  const [before, kept] = [5, app === 'ohkami' ? 0 : 60];
  const waves = [0, 62, 124].map((start): [Published.MemoryAt, Published.MemoryAt] => [
    look(start + 1, 10_000, before + 100),
    look(start + 61, 0, before + kept),
  ]);
  return {
    app,
    variant,
    name,
    case: 'idle-10000',
    waves,
    given_back: 1 - kept / 100,
    looks: [look(0, 0, before), ...waves.flatMap(([open, gone]) => [open, look(open.seconds + 5, 0, 105), gone])],
  };
}

export function breaksFile(): Published.WhatBreaks {
  return {
    schema_version: 1,
    ...NEWEST,
    cpu_model: 'AMD EPYC 7763 64-Core Processor',
    logical_cpus: 4,
    cases: CASES,
    servers: SERVERS.map(({ app, name, role, tier, variant }) => ({
      app,
      variant,
      name,
      role,
      tier,
      version: '0.8.9',
      engine: OF_HYPER.has(app) ? { app: 'hyper', version: '1.12.0' } : null,
      not_probed: app === 'astra' ? 'the server died: exit status 1' : null,
      made:
        app === 'astra'
          ? {}
          : Object.fromEntries(
              words.groups.filter(({ id }) => id !== 'tls' || app === 'axum').map(({ id }) => [id, 2]),
            ),
    })),
    results: SERVERS.filter(({ app }) => app !== 'astra').flatMap(({ app }) => resultsOf(app)),
    memory: SERVERS.filter(({ app }) => app !== 'astra').map(memoryOf),
  };
}

/** What the guide's own servers do, by the ids of cases. */
export function clientsFile(): Published.Clients {
  const noticed = (id: string, sent: string): Published.ProbeCase => ({
    ...(CASES[0] as Published.ProbeCase),
    id,
    title: `Title of ${id}`,
    group: 'clients',
    level: 'observed',
    sent,
  });
  const server = (app: string, name: string, got: Record<string, string>, statuses: Record<string, number>) => ({
    app,
    name,
    tier: 'maintained' as const,
    version: '1.0.0',
    got,
    statuses,
    settings: { 'largest-json': { name: 'Limits', address: 'https://docs.rs/rocket' } },
  });
  return {
    schema_version: 1,
    ...NEWEST,
    cases: [noticed('asked-head', 'HEAD /'), noticed('same', 'GET /'), noticed('largest-json', '')],
    servers: [
      server(
        'axum',
        'Axum',
        { 'asked-head': '200, kept', same: '200', 'largest-json': '2 MiB taken' },
        { 'asked-head': 200, same: 200 },
      ),
      server(
        'rocket',
        'Rocket',
        { 'asked-head': '404, kept', same: '200', 'largest-json': '1 MiB taken' },
        { 'asked-head': 404, same: 200 },
      ),
    ],
  };
}

export function probeChangesFile(): Published.ProbeStory {
  const failed = { ohkami: 1, tide: 1, hyper: 1, axum: 1 };
  return {
    schema_version: 1,
    runs: [
      { ...BEFORE, cases: CASES.length, failed: { ...failed, ntex: 1 } },
      { ...NEWEST, cases: CASES.length, failed },
    ],
    changes: [
      {
        app: 'ntex',
        variant: 'default',
        case: 'pipelined-three',
        fails: false,
        started_at: NEWEST.started_at,
        causes: [{ kind: 'framework', name: 'ntex', before: '3.12.2', after: '3.12.3', run: NEWEST.id }],
      },
    ],
  };
}
