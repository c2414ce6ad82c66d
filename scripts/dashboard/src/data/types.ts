// What the site computes with: what the border reads, under the keys of the published files, in real maps and without `undefined`.
import type * as Published from './generated/published';
import type { Read } from './parse/border';
import type { probeCase, probeChange, probedServer, serverResult, standing } from './parse/breaks';
import type { story } from './parse/changes';
import type { scenarioFields, subjectFields } from './parse/period';
import type { split } from './parse/record';
import type { run } from './parse/run';
import type { scalingFigure, scalingLaw, scalingPoint } from './parse/scaling';

export type { LoadModel as Load, Tier } from './generated/published';

/** A figure that may be missing. */
export type Figure = number | null;
/** The places that the differences of a run leave to a subject, from 1, both inclusive. */
export type Rank = Published.Rank;
/** One row for each subject, one place for each run. */
export type Matrix<T> = T[][];

/** Times are milliseconds since 1970, here and everywhere. */
export type Run = Read<typeof run>;

export interface Lane {
  /** `hosted-x64`; `hosted-x64:quick` for runs of a profile beside the one that the lane is about. */
  name: string;
  /** Where runs were made, whatever their profile. */
  place: string;
  runs: number;
  newest: Run | null;
  /** The newest of those that are in no series, for they made only part of a profile. */
  partial: Run[];
  months: string[];
  years: string[];
}

export interface Index {
  lanes: Map<string, Lane>;
}

/** An app in a variant. */
export interface Subject extends Read<typeof subjectFields> {
  key: string;
  app: string;
  variant: string;
  name: string;
}

export interface Scenario extends Read<typeof scenarioFields> {
  id: string;
  title: string;
}

export interface Period {
  lane: string;
  period: string;
  runs: Run[];
  /** Number of runs behind each point of a year; `null` in a month. */
  points: Figure[] | null;
  subjects: Map<string, Subject>;
  versions: Map<string, (string | null)[]>;
  binary_bytes: Map<string, Figure[]>;
  scenarios: Map<string, Scenario>;
}

/** The matrices of a metric that hold figures. */
export const FIGURES = [
  'median',
  'low',
  'high',
  'ratio',
  'ratio_low',
  'ratio_high',
  'trusted',
  'trials',
] as const satisfies (keyof Published.Matrix)[];

export type MetricColumns = Record<(typeof FIGURES)[number], Matrix<Figure>> & {
  rank: Matrix<Rank | null>;
  /** The subjects that were found better although the ranges of places overlap. */
  behind: Matrix<string[] | null>;
};

/** All figures of one scenario in one period. */
export interface Series {
  scenario: string;
  period: string;
  runs: string[];
  subjects: string[];
  verdicts: Matrix<Published.Verdict | null>;
  reasons: Matrix<string | null>;
  /** Only metrics that the site knows. */
  metrics: Map<string, MetricColumns>;
}

export type Changes = Read<typeof story>;
export type Change = Changes['changes'][number];
export type Common = Changes['common'][number];
export type Cause = Change['causes'][number];
export type Mark = Changes['marks'][number];
export type Segment = Changes['segments'][number];

export type ScalingFigure = Read<typeof scalingFigure>;
export type ScalingPoint = Read<typeof scalingPoint>;
export type ScalingLaw = Read<typeof scalingLaw>;

/** A server under one request at all widths, the narrowest first. */
export interface ScalingCurve {
  subject: Subject;
  scenario: string;
  title: string;
  points: ScalingPoint[];
  law: ScalingLaw | null;
  no_law: Published.WithoutLaw | null;
}

/** A run that compares widths. */
export interface Scaling {
  run: Run;
  server_cores: Figure;
  curves: ScalingCurve[];
}

export type ProbeCase = Read<typeof probeCase>;
export type ProbedServer = Read<typeof probedServer>;
export type ServerResult = Read<typeof serverResult>;
export type ProbeChange = Read<typeof probeChange>;

/** The newest probes. Of what passed, only that with figures has a result. */
export interface Breaks {
  id: string;
  started_at: number;
  cpu_model: string | null;
  logical_cpus: Figure;
  cases: Map<string, ProbeCase>;
  servers: ProbedServer[];
  results: ServerResult[];
}

/** All times that probes were made, the oldest first, and what changed, the newest first. */
export interface ProbeChanges {
  runs: Read<typeof standing>[];
  changes: ProbeChange[];
}

/** One metric of a cell of a record; figures may be left out where the trials give them. */
export interface SummaryFigure {
  median: Figure;
  low: Figure;
  high: Figure;
  ratio: Figure;
  ratio_low: Figure;
  ratio_high: Figure;
  rank: Rank | null;
  trusted: boolean;
  trials: Figure;
}

/** What a run found of an app in a variant under a scenario. */
export interface SummaryCell {
  app: string;
  variant: string;
  scenario: string;
  verdict: Published.Verdict | null;
  reason: string | null;
  /** Only metrics that the site knows. */
  metrics: Map<string, SummaryFigure>;
}

/** Fields of a published `P` as texts, nested ones by their path; only fields that it has are asked for. */
export interface Texts<P> extends Map<string, string> {
  get(key: keyof P & string): string | undefined;
}

/** A record, as the page of one run shows it: the head as it was written, trials as columns. */
export interface RunRecord {
  id: string;
  lane: string;
  environment: Texts<Published.Environment>;
  harness: Texts<Published.Harness>;
  seed: string | null;
  warnings: string[];
  apps: Texts<Published.AppRecord>[];
  /** Those that were tried before the run, the one that was taken first. */
  splits: Read<typeof split>[];
  summary: SummaryCell[];
  trials: TrialTable;
}

/** A field of a trial, nested ones by their path. */
export type TrialField =
  | keyof Published.Trial
  | `latency_ms.${keyof Published.Latency}`
  | `rss_bytes.${keyof Published.Rss}`;

/** Columns of equal length, by field. */
export interface TrialTable {
  rows: number;
  columns: Map<string, (string | number | null)[]>;
}
