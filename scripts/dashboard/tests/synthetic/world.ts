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

const THE_REFERENCE: App = { ...framework('reference', 'Reference', 1, 'engine'), role: 'reference' };

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
  THE_REFERENCE,
  { ...framework('ceiling', 'Ceiling', 0.78, 'engine'), role: 'ceiling' },
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
  varies?: Published.Varies;
  database?: Published.Database;
  service?: Published.Served;
  /** CPU of the reference per request, in µs. */
  cpu: number;
  /** How much of the CPU is the framework's own: little in bcrypt. */
  own: number;
}

type More = Partial<Omit<Shape, 'id' | 'title' | 'path'>>;

/** A kind of work: `cpu` and `own` as in `Shape`. */
const work = (id: string, title: string, path: string, cpu: number, own: number, more: More = {}): Shape => ({
  id,
  title,
  method: 'GET',
  path,
  connections: 64,
  cpu,
  own,
  ...more,
});

const PLAINTEXT = ['The cost of the framework alone', '/'] as const;
const HELLO = ['A small JSON answer with a new id and time', '/hello'] as const;

const over = (protocol: Published.Protocol, cpu: number, more: More = {}): Shape =>
  work(`plaintext-${protocol.replace('http1-', '')}`, ...PLAINTEXT, cpu, 0.8, {
    protocol,
    varies: { like: 'plaintext', by: 'protocol' },
    ...more,
  });

const atRate = (rate_rps: number): More => ({ load: { model: 'open', rate_rps } });

export const SCENARIOS: Shape[] = [
  work('plaintext', ...PLAINTEXT, 12.5, 1),
  work('hello', ...HELLO, 13.3, 0.9),
  work('heavy', '10,000 items serialised for each request, 1.27 MB', '/heavy', 5200, 0.1, { connections: 16 }),
  work('simple', 'A JSON body read and answered', '/test/simple', 15.3, 0.9, { method: 'POST' }),
  work('timed', 'The same as simple, after 20 ms of asynchronous sleep', '/test/timed', 26, 0.6, {
    method: 'POST',
    connections: 256,
  }),
  work('bcrypt', 'A hash of cost 10 on the pool for blocking work', '/test/bcrypt', 107_000, 0.02, {
    method: 'POST',
    connections: 4,
  }),
  work('plaintext-c256', ...PLAINTEXT, 12.9, 1, { connections: 256, varies: { like: 'plaintext', by: 'connections' } }),
  over('http1-tls', 16),
  over('http2', 18, { connections: 8, streams: 8 }),
  over('http2-tls', 21, { connections: 8, streams: 8 }),
  work('hello-r1000', ...HELLO, 22, 0.9, { ...atRate(1000), varies: { like: 'hello', by: 'rate' } }),
  work('hello-r10000', ...HELLO, 18, 0.9, { ...atRate(10_000), varies: { like: 'hello', by: 'rate' } }),
  work('capacity', 'The highest rate of small JSON answers with 99 % of them within 10 ms', '/hello', 15, 0.9, {
    load: { model: 'capacity', p99_ms: 10 },
    varies: { like: 'hello', by: 'rate' },
  }),
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
  work('db', 'One row of a database by its key', '/db', 39, 0.5, { database: POOL }),
  work('orders', 'An order with three lines, kept in one transaction', '/orders', 145, 0.3, {
    method: 'POST',
    database: POOL,
  }),
  work('db-r1000', 'One row of a database by its key', '/db', 70, 0.5, {
    ...atRate(1000),
    varies: { like: 'db', by: 'rate' },
    database: POOL,
  }),
];

const behind = (app: App): App => ({ ...app, app: `${app.app}-postgres` });

const REFERENCE = behind(THE_REFERENCE);

const serving = (app: App): App => ({
  ...app,
  app: `${app.app}-services`,
  services:
    app.tier === 'engine' && app.role === 'framework'
      ? { offers: ['auth'], not_offered: { routes: 'no router in its documentation: requests are matched by hand' } }
      : { offers: ['auth', 'routes'], not_offered: {} },
});

const serves = (kind: Published.Service, routes = 1): More => ({ service: { kind, routes, layers: 0 } });

const routes = (count: number): Shape =>
  work(
    `routes-${count}`,
    count === 1 ? 'A path of a server with one route' : `Random paths of a server with ${count} routes`,
    '/area0/thing0',
    12.5 + count / 500,
    1,
    { ...serves('routes', count), ...(count === 1 ? {} : { varies: { like: 'routes-1', by: 'routes' } }) },
  );

const OF_SERVICES: Shape[] = [
  routes(1),
  routes(100),
  routes(1000),
  work('auth', 'A JSON Web Token checked, and its claims answered', '/auth', 18, 0.7, serves('auth')),
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
  work('json-64k', '64 KiB of JSON read into types and written back', '/json', 300, 0.8, {
    method: 'POST',
    ...serves('json'),
  }),
  work('validate', 'An order read into types and checked', '/validate', 26, 0.6, {
    method: 'POST',
    ...serves('validate'),
  }),
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
      serving(THE_REFERENCE),
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
      serving(THE_REFERENCE),
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

const event = (
  at: number,
  app: string,
  factor: number,
  [kind, name, before, after]: [Published.Kind, string, string, string],
  scenario: string | null = null,
): Event => ({ at, app, scenario, factor, cause: { kind, name, before, after } });

export const EVENTS: Event[] = [
  event(0.3, 'axum', 0.93, ['framework', 'axum', '0.7.9', '0.8.0']),
  event(0.62, 'poem', 1.14, ['dependency', 'tokio', '1.44.0', '1.45.0']),
  event(0.8, 'salvo', 1.22, ['dependency', 'serde_json', '1.0.140', '1.0.141'], 'simple'),
  event(0.93, 'rocket', 0.88, ['framework', 'rocket', '0.5.1', '0.5.2']),
  event(0.96, 'gotham', 1.11, ['dependency', 'hyper', '1.11.0', '1.12.0'], 'plaintext'),
  event(0.985, 'viz', 0.91, ['source', 'apps/viz', '4f1c2aa', '90b1d7e']),
];
