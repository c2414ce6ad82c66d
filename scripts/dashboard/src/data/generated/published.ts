// Generated from the schemas by `npm run types:generate`.

export type Lane = 'hosted-x64' | 'hosted-arm64' | 'self-hosted' | 'local';
export type Isolation = 'native' | 'docker' | 'docker-bridge';
export type LoadModel =
  | {
      model: 'closed';
    }
  | {
      model: 'open';
      rate_rps: number;
    }
  | {
      model: 'capacity';
      p99_ms: number;
    };
export type Method = 'GET' | 'POST';
export type Protocol = 'http1' | 'http1-tls' | 'http2' | 'http2-tls';
export type Service =
  | 'routes'
  | 'middleware'
  | 'auth'
  | 'validate'
  | 'json'
  | 'upload'
  | 'static'
  | 'revalidate'
  | 'range'
  | 'gzip'
  | 'brotli'
  | 'zstd'
  | 'stream'
  | 'events'
  | 'websocket';
export type Dimension =
  | 'protocol'
  | 'connections'
  | 'rate'
  | 'keep-alive'
  | 'isolation'
  | 'generator'
  | 'pool'
  | 'routes'
  | 'layers'
  | 'workers'
  | 'round-trip'
  | 'refusal';
export type Role = 'framework' | 'reference' | 'ceiling' | 'control';
export type Tier = 'maintained' | 'engine' | 'legacy' | 'own_stack' | 'driver';
export type Verdict =
  | 'valid'
  | 'client_bound'
  | 'network_bound'
  | 'database_bound'
  | 'unsaturated'
  | 'unstable'
  | 'incomplete'
  | 'environment_failed'
  | 'contract_failed'
  | 'crashed'
  | 'build_failed';
export type Kind =
  | 'framework'
  | 'dependency'
  | 'source'
  | 'column'
  | 'rustc'
  | 'harness'
  | 'kernel'
  | 'image'
  | 'runner'
  | 'machine'
  | 'environment';
export type Ending = 'change' | 'doubt' | 'runner';
export type State = 'confirmed' | 'suspected';
export type Direction = 'regression' | 'improvement' | 'change';
export type Group =
  | 'connections'
  | 'request-line'
  | 'fields'
  | 'bodies'
  | 'http2'
  | 'tls'
  | 'slow-clients'
  | 'idle-connections'
  | 'lifecycle'
  | 'exhaustion'
  | 'overload'
  | 'database'
  | 'clients';
export type Level = 'must' | 'should' | 'may' | 'observed';
export type ProbeOutcome = 'passed' | 'failed' | 'flickered' | 'not_applicable';
export type NoLaw = 'no_start' | 'too_few_widths' | 'no_round';
export type Metric =
  | 'goodput_rps'
  | 'server_cpu_us_per_request'
  | 'instructions_per_request'
  | 'database_cpu_us_per_request'
  | 'database_connections_open'
  | 'database_connections_active'
  | 'capacity_rps'
  | 'latency_p50_ms'
  | 'latency_p99_ms'
  | 'first_byte_p50_ms'
  | 'answer_bytes'
  | 'rss_idle_bytes'
  | 'rss_peak_bytes'
  | 'rss_after_bytes'
  | 'startup_ms';

export interface Index {
  lanes: {
    [k: string]: LaneIndex;
  };
  schema_version: number;
}
export interface LaneIndex {
  partial?: Partial | null;
  profile: string;
  series: {
    [k: string]: SeriesIndex;
  };
}
export interface Partial {
  newest: Run[];
  runs: number;
}
export interface Run {
  apps: number;
  commit?: string | null;
  finished_at: string;
  harness: string;
  id: string;
  kernel: string;
  machine: Machine;
  oha: string;
  os: string;
  profile: string;
  rounds: number;
  runner: string[];
  runner_image?: string | null;
  rustc: string;
  started_at: string;
  steal_share: number;
  verdicts: {
    [k: string]: number;
  };
  warnings: string[];
}
export interface Machine {
  cpu_model: string;
  logical_cpus: number;
}
export interface SeriesIndex {
  newest: Run;
  runs: number;
}
export interface Runs {
  binary_bytes: {
    [k: string]: (number | null)[];
  };
  lane: Lane;
  profile: string;
  runs: Run[];
  scenarios: {
    [k: string]: Scenario;
  };
  schema_version: number;
  subjects: {
    [k: string]: AppRecord;
  };
  versions: {
    [k: string]: (string | null)[];
  };
}
export interface Scenario {
  body?: string | null;
  connections: number;
  database?: Database | null;
  id: string;
  isolation?: Isolation;
  keep_alive?: boolean;
  load?: LoadModel;
  method: Method;
  path: string;
  protocol?: Protocol;
  refused?: boolean;
  requests?: number | null;
  round_trip_us?: number | null;
  seconds: number;
  service?: Served | null;
  stands_for?: string | null;
  streams?: number;
  title: string;
  varies?: Varies | null;
  workers?: number | null;
}
export interface Database {
  connections_per_worker: number;
}
export interface Served {
  kind: Service;
  layers?: number;
  routes?: number;
}
export interface Varies {
  by: Dimension;
  like: string;
}
export interface AppRecord {
  framework: string;
  id: string;
  known_fault?: string | null;
  link: string;
  name: string;
  note?: string | null;
  protocols: Protocol[];
  role: Role;
  services?: Services | null;
  tier: Tier;
  variant: string;
}
export interface Services {
  not_offered?: {
    [k: string]: string;
  };
  offers: Service[];
}
export interface Figures {
  lane: Lane;
  metrics: {
    [k: string]: Matrix;
  };
  profile: string;
  reasons: (string | null)[][];
  runs: string[];
  scenario: string;
  schema_version: number;
  subjects: string[];
  verdicts: (Verdict | null)[][];
}
export interface Matrix {
  days?: (number | null)[];
  high?: (number | null)[][];
  low?: (number | null)[][];
  median: (number | null)[][];
  own_work?: (number | null)[][];
  own_work_margin?: (number | null)[][];
  pair_half_widths?: ((number | null)[] | null)[][];
  pair_verdicts?: string[];
  rank_best?: (number | null)[][];
  rank_worst?: (number | null)[][];
  ratio?: (number | null)[][];
  ratio_high?: (number | null)[][];
  ratio_low?: (number | null)[][];
  sessions?: (number | null)[];
  to_plain?: (number | null)[][];
  to_plain_high?: (number | null)[][];
  to_plain_low?: (number | null)[][];
  trials?: (number | null)[][];
  trusted: (number | null)[][];
}
export interface RunFigures {
  figures: Figures[];
  run: Runs;
  schema_version: number;
}
export interface HistoryReport {
  changes: Change[];
  common: Change[];
  lane: string;
  marks: Mark[];
  profile?: string | null;
  runs: number;
  schema_version: number;
  segments: Segment[];
}
export interface Change {
  app?: string;
  causes: Cause[];
  ended?: End | null;
  high: number;
  low: number;
  metric: string;
  previous_run: string;
  relative_to?: string | null;
  run: string;
  scenario: string;
  shared_by?: string[] | null;
  size: number;
  started_at: string;
  state: State;
  variant?: string;
  verdict: Direction;
}
export interface Cause {
  after: string;
  before: string;
  kind: Kind;
  name: string;
  run: string;
}
export interface End {
  by: Ending;
  causes?: Cause[];
  run: string;
  started_at: string;
}
export interface Mark {
  after: string;
  app?: string | null;
  before: string;
  kind: Kind;
  run: string;
  started_at: string;
}
export interface Segment {
  started_at: string;
}
export interface WhatBreaks {
  cases: ProbeCase[];
  cpu_model: string;
  id: string;
  logical_cpus: number;
  memory: KeptMemory[];
  results: ServerResult[];
  schema_version: number;
  servers: ProbedServer[];
  started_at: string;
}
export interface ProbeCase {
  demand: string;
  group: Group;
  id: string;
  level: Level;
  sent: string;
  smuggles: boolean;
  source: string;
  title: string;
}
export interface KeptMemory {
  app: string;
  case: string;
  given_back: number;
  looks: MemoryAt[];
  name: string;
  variant: string;
  waves: [MemoryAt, MemoryAt][];
}
export interface MemoryAt {
  bytes: number;
  connections: number;
  seconds: number;
}
export interface ServerResult {
  app: string;
  case: string;
  figures: {
    [k: string]: number;
  };
  got: string;
  of_engine: boolean;
  outcome: ProbeOutcome;
  protocol: Protocol;
  received: string;
  variant: string;
}
export interface ProbedServer {
  app: string;
  engine?: Engine | null;
  made: {
    [k: string]: number;
  };
  name: string;
  not_probed?: string | null;
  role: Role;
  tier: Tier;
  variant: string;
  version: string;
}
export interface Engine {
  app: string;
  version: string;
}
export interface Clients {
  cases: ProbeCase[];
  id: string;
  schema_version: number;
  servers: ClientServer[];
  started_at: string;
}
export interface ClientServer {
  app: string;
  got: {
    [k: string]: string;
  };
  name: string;
  settings: {
    [k: string]: Setting;
  };
  statuses: {
    [k: string]: number;
  };
  tier: Tier;
  version: string;
}
export interface Setting {
  address: string;
  name: string;
}
export interface ProbeStory {
  changes: ProbeChange[];
  runs: Standing[];
  schema_version: number;
}
export interface ProbeChange {
  app: string;
  case: string;
  causes: Cause[];
  fails: boolean;
  started_at: string;
  variant: string;
}
export interface Standing {
  cases: number;
  failed: {
    [k: string]: number;
  };
  id: string;
  started_at: string;
}
export interface Scaling {
  curves: ScalingCurve[];
  lane: Lane;
  run: Run;
  schema_version: number;
  server_cores?: number | null;
}
export interface ScalingCurve {
  app: AppRecord;
  law?: ScalingLaw | null;
  like: string;
  no_law?: NoLaw | null;
  points: ScalingPoint[];
  title: string;
}
export interface ScalingLaw {
  coherency?: Estimate | null;
  contention: Estimate;
}
export interface Estimate {
  count: number;
  interval?: Interval | null;
  median: number;
}
export interface Interval {
  high: number;
  low: number;
}
export interface ScalingPoint {
  cell: Cell;
  cpu_ratio?: Ratio | null;
  own_cores: boolean;
  speed_up?: Ratio | null;
  workers: number;
}
export interface Cell {
  metrics: {
    [k: string]: Summary;
  };
  scenario: string;
  verdict: Verdict;
}
export interface Summary {
  interval?: Interval | null;
  median: number;
  own_work?: OwnWork | null;
  rank?: Rank | null;
  ratio?: Ratio | null;
  trials: number;
  trusted: boolean;
}
export interface OwnWork {
  estimate: number;
  margin: number;
}
export interface Rank {
  best: number;
  worst: number;
}
export interface Ratio {
  days?: number | null;
  estimate: number;
  interval?: Interval | null;
  sessions?: number | null;
}
export interface Forecasts {
  forecasts: Forecast[];
  schema_version: number;
}
export interface Forecast {
  at: string;
  confirmed: number;
  from: string;
  /**
   * @minItems 3
   * @maxItems 3
   */
  held: [number, number, number];
  pairs: number;
  ratios: number;
  reversed: number;
  sessions: number;
  to: string;
}
export interface Releases {
  crates: CrateReleases[];
  schema_version: number;
}
export interface CrateReleases {
  app: string;
  crate: string;
  in_turns: InTurns[];
  is_framework: boolean;
  name: string;
  releases: Upgrade[];
  scenarios: string[];
  spans: Span[];
}
export interface InTurns {
  change: number;
  from: number;
  interval: Interval;
  scenario: number;
  to: number;
}
export interface Upgrade {
  backport: boolean;
  binary_bytes?: number | null;
  counts: (Counts | null)[];
  others: (number | null)[];
  refused?: string | null;
  release: Release;
  run: string;
}
export interface Counts {
  change?: number | null;
  instructions: number;
  is_step: boolean;
  syscalls?: number | null;
}
export interface Release {
  crate: string;
  published?: string | null;
  together_with?: string[];
  version: string;
  yanked: boolean;
}
export interface Span {
  changes: (number | null)[];
  from: number;
  to: number;
}
export interface Record {
  apps: AppRecord[];
  environment: Environment;
  harness: Harness;
  id: string;
  lane: Lane;
  seed: number;
  trials: Trial[];
}
export interface Environment {
  generator_cpus: number[];
  irq_time_apart?: boolean | null;
  server_cpus: number[];
  splits?: SplitTried[];
  warnings: string[];
}
export interface SplitTried {
  generator_cpu_share: number;
  generator_cpus: number[];
  goodput_rps: number;
  server_cpu_share: number;
  server_cpus: number[];
}
export interface Harness {
  whole: boolean;
}
export interface Trial {
  apart?: boolean;
  app: string;
  attempt: number;
  latency_ms?: Latency | null;
  order: number;
  reasons: string[];
  round: number;
  scenario: string;
  variant: string;
  verdict: Verdict;
}
export interface Latency {
  p50: number;
  p90?: number;
  p95?: number;
  p99: number;
  p99_9?: number;
}
