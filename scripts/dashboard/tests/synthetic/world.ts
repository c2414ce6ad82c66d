// What is measured in the synthetic history: apps, scenarios, lanes, and what truly happened to them.

import type * as Published from '../../src/data/generated/published';

export interface App {
  app: string;
  name: string;
  role: Published.Role;
  tier: Published.Tier;
  variant: string;
  /** CPU per request relative to the reference. */
  cost: number;
  services?: Published.Services;
}

const framework = (
  app: string,
  name: string,
  cost: number,
  tier: Published.Tier = 'maintained',
  variant = 'default',
): App => ({
  app,
  name,
  role: 'framework',
  tier,
  variant,
  cost,
});

export const APPS: App[] = [
  framework('ohkami', 'Ohkami', 0.92),
  framework('actix-web', 'Actix Web', 1.0),
  framework('xitca-web', 'xitca-web', 0.99),
  framework('warp', 'warp', 1.08),
  framework('thruster', 'Thruster', 1.07),
  framework('axum', 'Axum', 1.12),
  framework('viz', 'Viz', 1.11),
  framework('ntex', 'ntex', 1.1),
  framework('volo-http', 'Volo-HTTP', 1.16),
  framework('poem', 'Poem', 1.2),
  framework('gotham', 'Gotham', 1.22),
  framework('salvo', 'Salvo', 1.33),
  framework('rocket', 'Rocket', 2.1),
  framework('astra', 'Astra', 1.4),
  framework('hyper', 'hyper', 1.06, 'engine'),
  framework('tokio-codec', 'tokio-util codec', 0.95, 'engine'),
  framework('may-minihttp', 'may_minihttp', 0.86, 'engine'),
  framework('nickel', 'nickel', 1.8, 'legacy'),
  framework('roa', 'Roa', 1.07, 'legacy'),
  framework('tide', 'Tide', 3.9, 'legacy'),
  framework('axum', 'Axum', 1.04, 'maintained', 'current-thread'),
  framework('actix-web', 'Actix Web', 0.97, 'maintained', 'tuned'),
  { app: 'reference', name: 'Reference', role: 'reference', tier: 'engine', variant: 'default', cost: 1 },
  { app: 'ceiling', name: 'Ceiling', role: 'ceiling', tier: 'engine', variant: 'default', cost: 0.78 },
];

export const linkOf = ({ app }: App): string => `https://github.com/example/${app}`;

export const keyOf = ({ app, variant }: App): string => (variant === 'default' ? app : `${app}:${variant}`);

export interface Shape {
  id: string;
  title: string;
  method: Published.Method;
  path: string;
  protocol?: Published.Protocol;
  connections: number;
  workers?: number;
  streams?: number;
  load?: Published.LoadModel;
  slice_seconds?: number;
  varies?: Published.Varies;
  database?: Published.Database;
  service?: Published.Served;
  /** CPU of the reference per request, in µs. */
  cpu: number;
  /** How much of the CPU is the framework's own: little in bcrypt. */
  own: number;
}

export const SCENARIOS: Shape[] = [
  {
    id: 'plaintext',
    title: 'The cost of the framework alone',
    method: 'GET',
    path: '/',
    connections: 64,
    cpu: 12.5,
    own: 1,
  },
  {
    id: 'hello',
    title: 'A small JSON answer with a new id and time',
    method: 'GET',
    path: '/hello',
    connections: 64,
    cpu: 13.3,
    own: 0.9,
  },
  {
    id: 'heavy',
    title: '10,000 items serialised for each request, 1.27 MB',
    method: 'GET',
    path: '/heavy',
    connections: 16,
    cpu: 5200,
    own: 0.1,
  },
  {
    id: 'simple',
    title: 'A JSON body read and answered',
    method: 'POST',
    path: '/test/simple',
    connections: 64,
    cpu: 15.3,
    own: 0.9,
  },
  {
    id: 'timed',
    title: 'The same as simple, after 20 ms of asynchronous sleep',
    method: 'POST',
    path: '/test/timed',
    connections: 256,
    cpu: 26,
    own: 0.6,
  },
  {
    id: 'bcrypt',
    title: 'A hash of cost 10 on the pool for blocking work',
    method: 'POST',
    path: '/test/bcrypt',
    connections: 4,
    cpu: 107000,
    own: 0.02,
  },
  {
    id: 'plaintext-c256',
    title: 'The cost of the framework alone',
    method: 'GET',
    path: '/',
    connections: 256,
    varies: { like: 'plaintext', by: 'connections' },
    cpu: 12.9,
    own: 1,
  },
  {
    id: 'plaintext-tls',
    title: 'The cost of the framework alone',
    method: 'GET',
    path: '/',
    protocol: 'http1-tls',
    connections: 64,
    varies: { like: 'plaintext', by: 'protocol' },
    cpu: 16,
    own: 0.8,
  },
  {
    id: 'plaintext-http2',
    title: 'The cost of the framework alone',
    method: 'GET',
    path: '/',
    protocol: 'http2',
    connections: 8,
    streams: 8,
    varies: { like: 'plaintext', by: 'protocol' },
    cpu: 18,
    own: 0.8,
  },
  {
    id: 'plaintext-http2-tls',
    title: 'The cost of the framework alone',
    method: 'GET',
    path: '/',
    protocol: 'http2-tls',
    connections: 8,
    streams: 8,
    varies: { like: 'plaintext', by: 'protocol' },
    cpu: 21,
    own: 0.8,
  },
  ...[
    { rate_rps: 1000, slice_seconds: 0.5, cpu: 22 },
    { rate_rps: 10_000, slice_seconds: 0.25, cpu: 18 },
  ].map(({ rate_rps, slice_seconds, cpu }) => ({
    id: `hello-r${rate_rps}`,
    title: 'A small JSON answer with a new id and time',
    method: 'GET' as const,
    path: '/hello',
    connections: 64,
    load: { model: 'open' as const, rate_rps },
    slice_seconds,
    varies: { like: 'hello', by: 'rate' as const },
    cpu,
    own: 0.9,
  })),
  {
    id: 'capacity',
    title: 'The highest rate of small JSON answers with 99 % of them within 10 ms',
    method: 'GET',
    path: '/hello',
    connections: 64,
    load: { model: 'capacity', p99_ms: 10 },
    varies: { like: 'hello', by: 'rate' },
    cpu: 15,
    own: 0.9,
  },
];

/** What runs of a profile measure. */
export interface Kind {
  profile: string;
  apps: App[];
  scenarios: Shape[];
}

export const WEEKLY: Kind = { profile: 'weekly', apps: APPS, scenarios: SCENARIOS };

const POOL = { connections_per_worker: 4 };

const WITH_DATABASE: Shape[] = [
  {
    id: 'db',
    title: 'One row of a database by its key',
    method: 'GET',
    path: '/db',
    connections: 64,
    database: POOL,
    cpu: 39,
    own: 0.5,
  },
  {
    id: 'orders',
    title: 'An order with three lines, kept in one transaction',
    method: 'POST',
    path: '/orders',
    connections: 64,
    database: POOL,
    cpu: 145,
    own: 0.3,
  },
  {
    id: 'db-r1000',
    title: 'One row of a database by its key',
    method: 'GET',
    path: '/db',
    connections: 64,
    load: { model: 'open', rate_rps: 1000 },
    slice_seconds: 0.5,
    varies: { like: 'db', by: 'rate' },
    database: POOL,
    cpu: 70,
    own: 0.5,
  },
];

const behind = (app: App): App => ({ ...app, app: `${app.app}-postgres` });

const REFERENCE = behind({
  app: 'reference',
  name: 'Reference',
  role: 'reference',
  tier: 'engine',
  variant: 'default',
  cost: 1,
});

const serving = (app: App): App => ({
  ...app,
  app: `${app.app}-services`,
  services:
    app.tier === 'engine' && app.role === 'framework'
      ? { offers: ['auth'], not_offered: { routes: 'no router in its documentation: requests are matched by hand' } }
      : { offers: ['auth', 'routes'], not_offered: {} },
});

const routes = (count: number): Shape => ({
  id: `routes-${count}`,
  title: count === 1 ? 'A path of a server with one route' : `Random paths of a server with ${count} routes`,
  method: 'GET',
  path: '/area0/thing0',
  connections: 64,
  ...(count === 1 ? {} : { varies: { like: 'routes-1', by: 'routes' } as const }),
  service: { kind: 'routes', routes: count, layers: 0 },
  cpu: 12.5 + count / 500,
  own: 1,
});

const OF_SERVICES: Shape[] = [
  routes(1),
  routes(100),
  routes(1000),
  {
    id: 'auth',
    title: 'A JSON Web Token checked, and its claims answered',
    method: 'GET',
    path: '/auth',
    connections: 64,
    service: { kind: 'auth', routes: 1, layers: 0 },
    cpu: 18,
    own: 0.7,
  },
];

/** What a variant costs against its default; what is not in its own part of a kind of work moves with it. */
const VARIANTS: Record<string, number> = {
  mimalloc: 0.9,
  jemalloc: 1.004,
  'serde-json': 0.96,
  'sonic-rs': 0.8,
  'simd-json': 1.12,
  'newer-cpu': 0.97,
  'sonic-rs-newer-cpu': 0.7,
};

const inVariants = (app: App): App[] => [
  serving(app),
  ...Object.entries(VARIANTS).map(([variant, factor]) => ({ ...serving(app), variant, cost: app.cost * factor })),
];

const OF_VARIANTS: Shape[] = [
  routes(1),
  {
    id: 'json-64k',
    title: '64 KiB of JSON read into types and written back',
    method: 'POST',
    path: '/json',
    connections: 64,
    service: { kind: 'json', routes: 1, layers: 0 },
    cpu: 300,
    own: 0.8,
  },
  {
    id: 'validate',
    title: 'An order read into types and checked',
    method: 'POST',
    path: '/validate',
    connections: 64,
    service: { kind: 'validate', routes: 1, layers: 0 },
    cpu: 26,
    own: 0.6,
  },
];

/** Whole runs of other profiles, on the days after the weekly one. */
export const OTHER_KINDS: Kind[] = [
  {
    profile: 'database',
    apps: [
      ...APPS.filter(app => app.role === 'framework' && app.tier !== 'legacy' && app.variant === 'default').map(behind),
      framework('may-minihttp-own', 'may_minihttp', 0.9, 'own_stack'),
      REFERENCE,
    ],
    scenarios: WITH_DATABASE,
  },
  {
    profile: 'drivers',
    apps: [
      framework('axum-tokio-postgres', 'Axum, tokio-postgres', 0.83, 'driver'),
      framework('axum-sqlx', 'Axum, SQLx', 1.31, 'driver'),
      framework('axum-sea-orm', 'Axum, SeaORM', 1.62, 'driver'),
      framework('actix-web-sqlx', 'Actix Web, SQLx', 1.25, 'driver'),
      REFERENCE,
    ],
    scenarios: WITH_DATABASE,
  },
  {
    profile: 'services',
    apps: [
      ...APPS.filter(app => app.role === 'framework' && app.tier !== 'legacy' && app.variant === 'default').map(
        serving,
      ),
      serving({ ...REFERENCE, app: 'reference' }),
    ],
    scenarios: OF_SERVICES,
  },
  {
    profile: 'variants',
    apps: [
      ...inVariants(framework('axum', 'Axum', 1.12)),
      ...inVariants(framework('actix-web', 'Actix Web', 1)),
      ...inVariants(framework('ntex', 'ntex', 1.1)),
      { ...serving(framework('ntex-uring', 'ntex (io_uring)', 0.85, 'driver')) },
      serving({ ...REFERENCE, app: 'reference' }),
    ].map(app => ({ ...app, services: { offers: ['json', 'routes', 'validate'], not_offered: {} } })),
    scenarios: OF_VARIANTS,
  },
];

/** Numbers of workers, on eight cores with two threads each. */
export const WIDTHS = [1, 2, 4, 8, 16];
export const SERVER_CORES = 8;

/** A kind of work at each width. */
const atWidths = (id: string): Shape[] =>
  SCENARIOS.filter(shape => shape.id === id).flatMap(shape =>
    WIDTHS.map(workers => ({
      ...shape,
      id: `${id}-w${workers}`,
      workers,
      connections: 16 * workers,
      varies: { like: id, by: 'workers' },
    })),
  );

/** What compares widths: made where the machine is large enough, the third lane. */
export const SCALING: Kind = {
  profile: 'scaling',
  apps: APPS.filter(({ tier, variant }) => tier !== 'legacy' && variant === 'default'),
  scenarios: [...atWidths('plaintext'), ...atWidths('simple')],
};

export const LANES: { lane: Published.Lane; machines: string[]; cpus: number; speed: number }[] = [
  { lane: 'hosted-x64', machines: ['AMD EPYC 7763', 'AMD EPYC 9V74'], cpus: 4, speed: 1 },
  { lane: 'hosted-arm64', machines: ['Neoverse-N2', 'Cobalt 100'], cpus: 4, speed: 1.15 },
  { lane: 'self-hosted', machines: ['AMD Ryzen 9 7950X', 'AMD Ryzen 9 9950X'], cpus: 16, speed: 0.6 },
];

export interface Event {
  /** Share of the history at which it happens. */
  at: number;
  app: string;
  scenario: string | null;
  factor: number;
  cause: Omit<Published.Cause, 'run'>;
}

export const EVENTS: Event[] = [
  {
    at: 0.3,
    app: 'axum',
    scenario: null,
    factor: 0.93,
    cause: { kind: 'framework', name: 'axum', before: '0.7.9', after: '0.8.0' },
  },
  {
    at: 0.62,
    app: 'poem',
    scenario: null,
    factor: 1.14,
    cause: { kind: 'dependency', name: 'tokio', before: '1.44.0', after: '1.45.0' },
  },
  {
    at: 0.8,
    app: 'salvo',
    scenario: 'simple',
    factor: 1.22,
    cause: { kind: 'dependency', name: 'serde_json', before: '1.0.140', after: '1.0.141' },
  },
  {
    at: 0.93,
    app: 'rocket',
    scenario: null,
    factor: 0.88,
    cause: { kind: 'framework', name: 'rocket', before: '0.5.1', after: '0.5.2' },
  },
  {
    at: 0.96,
    app: 'gotham',
    scenario: 'plaintext',
    factor: 1.11,
    cause: { kind: 'dependency', name: 'hyper', before: '1.11.0', after: '1.12.0' },
  },
  {
    at: 0.985,
    app: 'viz',
    scenario: null,
    factor: 0.91,
    cause: { kind: 'source', name: 'apps/viz', before: '4f1c2aa', after: '90b1d7e' },
  },
];
