// What the site knows after reading: the types of docs/published.md with camel case, real maps and no `undefined`.

/** A figure that may be missing. */
export type Figure = number | null;
/** The places that the proven differences of a run leave to a subject, from 1, both inclusive. */
export interface Rank {
  best: number;
  worst: number;
}
/** One row for each subject, one place for each run. */
export type Matrix<T> = T[][];

export interface Machine {
  cpuModel: string | null;
  logicalCpus: Figure;
}

export interface Run {
  id: string;
  /** Milliseconds since 1970. */
  startedAt: number;
  profile: string | null;
  commit: string | null;
  rounds: Figure;
  apps: Figure;
  verdicts: Map<string, number>;
  machine: Machine;
}

export interface RunDetail extends Run {
  finishedAt: Figure;
  rustc: string | null;
  oha: string | null;
  kernel: string | null;
  os: string | null;
  runnerImage: string | null;
  harness: string | null;
  stealShare: Figure;
  warnings: string[];
}

export interface Lane {
  /** `hosted-x64`; `hosted-x64:quick` for runs of a profile beside the one that the lane is about. */
  name: string;
  /** Where runs were made, whatever their profile. */
  place: string;
  runs: number;
  newest: Run | null;
  /** The newest of those that are in no series, for they made only part of a profile. */
  partial: RunDetail[];
  months: string[];
  years: string[];
}

export interface Index {
  lanes: Map<string, Lane>;
}

export type Tier = 'maintained' | 'engine' | 'legacy';
export type Role = 'framework' | 'reference' | 'ceiling';

/** An app in a variant. */
export interface Subject {
  key: string;
  app: string;
  variant: string;
  name: string;
  /** Only http and https. */
  link: string | null;
  role: Role;
  tier: Tier;
  framework: string | null;
  protocols: string[];
  knownFault: string | null;
}

export type Load = { model: 'closed' } | { model: 'open'; rate: number } | { model: 'capacity'; p99: number };

export interface Scenario {
  id: string;
  title: string;
  method: string | null;
  path: string | null;
  protocol: string | null;
  connections: Figure;
  streams: Figure;
  keepAlive: boolean;
  isolation: string | null;
  load: Load;
  seconds: Figure;
  varies: { like: string; by: string } | null;
}

export interface Period {
  lane: string;
  period: string;
  runs: RunDetail[];
  /** Number of runs behind each point of a year; `null` in a month. */
  points: Figure[] | null;
  subjects: Map<string, Subject>;
  versions: Map<string, (string | null)[]>;
  binaryBytes: Map<string, Figure[]>;
  scenarios: Map<string, Scenario>;
}

export interface MetricColumns {
  median: Matrix<Figure>;
  low: Matrix<Figure>;
  high: Matrix<Figure>;
  ratio: Matrix<Figure>;
  ratioLow: Matrix<Figure>;
  ratioHigh: Matrix<Figure>;
  rank: Matrix<Rank | null>;
  trusted: Matrix<Figure>;
  trials: Matrix<Figure>;
}

/** All figures of one scenario in one period. */
export interface Series {
  scenario: string;
  period: string;
  runs: string[];
  subjects: string[];
  verdicts: Matrix<string | null>;
  reasons: Matrix<string | null>;
  /** Only metrics that the site knows. */
  metrics: Map<string, MetricColumns>;
}

export interface Cause {
  kind: string;
  name: string | null;
  before: string | null;
  after: string | null;
}

export interface Change {
  /** What moved it is relative to, where that is one server and not all others. */
  relativeTo: string | null;
  app: string;
  variant: string;
  scenario: string;
  metric: string;
  run: string;
  startedAt: number;
  previousRun: string | null;
  size: number;
  low: Figure;
  high: Figure;
  p: Figure;
  runsBefore: Figure;
  runsAfter: Figure;
  verdict: string;
  state: string;
  causes: Cause[];
}

export interface Common {
  /** The apps that moved together, away from the reference, and which way; `null` for a step that the reference shares. */
  theirs: { apps: string[]; verdict: string } | null;
  scenario: string;
  metric: string;
  run: string;
  startedAt: number;
  size: number;
  causes: Cause[];
}

export interface Mark {
  run: string;
  startedAt: number;
  kind: string;
  app: string | null;
  before: string | null;
  after: string | null;
}

export interface Segment {
  machine: string;
  run: string;
  startedAt: number;
  runs: Figure;
}

export interface Changes {
  profile: string | null;
  runs: Figure;
  judged: Figure;
  segments: Segment[];
  marks: Mark[];
  changes: Change[];
  common: Common[];
}

/** One metric of a cell of a record; figures may be left out where the trials give them. */
export interface SummaryFigure {
  median: Figure;
  low: Figure;
  high: Figure;
  ratio: Figure;
  ratioLow: Figure;
  ratioHigh: Figure;
  rank: Rank | null;
  trusted: boolean;
  trials: Figure;
}

/** What a run found of an app in a variant under a scenario. */
export interface SummaryCell {
  app: string;
  variant: string;
  scenario: string;
  verdict: string | null;
  reason: string | null;
  /** Only metrics that the site knows. */
  metrics: Map<string, SummaryFigure>;
}

/** A way to divide the cpus, and what the ceiling reached under it. */
export interface Split {
  serverCpus: string;
  generatorCpus: string;
  goodput: Figure;
  serverShare: Figure;
  generatorShare: Figure;
}

/** A record, as the page of one run shows it: the head as it was written, trials as columns. */
export interface RunRecord {
  id: string;
  lane: string;
  environment: Map<string, string>;
  harness: Map<string, string>;
  seed: string | null;
  warnings: string[];
  apps: Map<string, string>[];
  /** Those that were tried before the run, the one that was taken first. */
  splits: Split[];
  summary: SummaryCell[];
  trials: TrialTable;
}

/** Columns of equal length; nested fields are flattened as `latency_ms.p50`. */
export interface TrialTable {
  rows: number;
  columns: Map<string, (string | number | null)[]>;
}
