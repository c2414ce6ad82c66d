// What the site computes with: the published documents, with times in milliseconds, and real maps.
import type * as Published from './generated/published';

export type { Cause, Forecast, KeptMemory, ProbeCase, Setting, Tier } from './generated/published';

/** A figure that may be missing. */
export type Figure = number | null;
/** The places that the differences of a run leave to a subject, from 1, both inclusive. */
export type Rank = Published.Rank;
/** One row for each subject, one place for each run. */
type Matrix<T> = T[][];

/** A published object, with its times in milliseconds since 1970. */
export type Timed<T> = { [K in keyof T]: K extends 'started_at' | 'finished_at' ? number : T[K] };

/** `T` with some fields of another type. */
type With<T, Others> = Omit<T, keyof Others> & Others;

export type Run = With<Timed<Published.Run>, { verdicts: Map<string, number> }>;

export interface Lane {
  /** `hosted-x64`; `hosted-x64:quick` for runs of a profile other than the principal one. */
  name: string;
  /** Where runs were made, whatever their profile. */
  place: string;
  profile: string;
  runs: number;
  newest: Run | null;
  /** The newest of those that are in no series, for they made only part of a profile. */
  partial: Run[];
}

export interface Index {
  lanes: Map<string, Lane>;
}

/** An app in a variant. */
export interface Subject
  extends Pick<Published.AppRecord, 'variant' | 'name' | 'link' | 'role' | 'tier' | 'framework' | 'protocols'> {
  key: string;
  known_fault: string | null;
  note: string | null;
  /** Its folder. */
  app: string;
  /** Kinds of work that its framework documents no way for, with the reasons. */
  services: Map<string, string>;
}

export type Scenario = With<Published.Scenario, { keep_alive: boolean; load: Published.LoadModel }>;

/** One run by itself, or of each scenario the newest. */
export interface RunFigures {
  /** The newest. */
  run: Run;
  period: Period;
  /** By scenario. */
  series: Map<string, Series>;
}

/** Runs with what they measured. */
export interface Period {
  /** The oldest first. */
  runs: Run[];
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
  'own_work',
  'own_work_margin',
  'trusted',
  'trials',
] as const satisfies (keyof Published.Matrix)[];

/** Those that only a single run's file has: what another protocol costs a subject. */
export const TO_PLAIN = ['to_plain', 'to_plain_low', 'to_plain_high'] as const satisfies (keyof Published.Matrix)[];

export type MetricColumns = Record<(typeof FIGURES | typeof TO_PLAIN)[number], Matrix<Figure>> & {
  rank: Matrix<Rank | null>;
  /** Half the width of the interval of the logarithm of the ratio to each subject before it. */
  pair_half_widths: Matrix<Figure[] | null>;
  /** A mark for each subject before it: `<`, `>` or `=` as the harness judged the pair, `.` where it did not. */
  pair_verdicts: string[];
  /** By run: the number of sessions behind ratios and ranks, and of their days; `null` where they hold in that session only. */
  sessions: Figure[];
  days: Figure[];
};

/** All figures of one scenario. */
export interface Series {
  scenario: string;
  runs: string[];
  subjects: string[];
  verdicts: Matrix<Published.Verdict | null>;
  reasons: Matrix<string | null>;
  /** Only metrics that the site knows. */
  metrics: Map<string, MetricColumns>;
}

type Moved = With<Timed<Published.Change>, { ended: With<Timed<Published.End>, { causes: Published.Cause[] }> | null }>;
/** Of one app. */
export type Change = With<Moved, { app: string; variant: string }>;
/** Of all apps at once; `shared_by` is empty where the machine caused it. */
export type Common = With<Moved, { shared_by: string[] }>;
export type Mark = Timed<Published.Mark>;
type Segment = Timed<Published.Segment>;
export type Changes = With<
  Timed<Published.HistoryReport>,
  { segments: Segment[]; marks: Mark[]; changes: Change[]; common: Common[] }
>;

/** A server at one width. */
export type ScalingPoint = With<
  Published.ScalingPoint,
  // Only metrics that the site knows.
  { cell: With<Published.Cell, { metrics: Map<string, Summary> }> }
>;
/** A server under one request at all widths, the narrowest first. */
export type ScalingCurve = With<Timed<Published.ScalingCurve>, { app: Subject; points: ScalingPoint[] }>;
/** A run that compares widths. */
export interface Scaling {
  run: Run;
  server_cores: Figure;
  curves: ScalingCurve[];
}

/** A release, against the version before it. */
export type Upgrade = With<
  Published.Upgrade,
  { release: With<Published.Release, { published: Figure }>; refused: string | null }
>;
export type CrateReleases = With<Published.CrateReleases, { releases: Upgrade[] }>;
export type Releases = With<Published.Releases, { crates: CrateReleases[] }>;

export type ProbedServer = With<Timed<Published.ProbedServer>, { made: Map<string, number> }>;
export type ServerResult = With<Published.ServerResult, { figures: Map<string, number> }>;
type ProbeChange = Timed<Published.ProbeChange>;

export type ClientServer = With<
  Published.ClientServer,
  { got: Map<string, string>; statuses: Map<string, number>; settings: Map<string, Published.Setting> }
>;
export type Clients = With<Timed<Published.Clients>, { servers: ClientServer[] }>;

/** The newest probes. */
export type Breaks = With<
  Timed<Published.WhatBreaks>,
  { cases: Map<string, Published.ProbeCase>; servers: ProbedServer[]; results: ServerResult[] }
>;

/** All times that probes were made, the oldest first, and what changed, the newest first. */
export interface ProbeChanges {
  runs: With<Timed<Published.Standing>, { failed: Map<string, number> }>[];
  changes: ProbeChange[];
}

/** A figure and its ratio to the reference, each with the ends of its 95 % interval. */
export interface Summary {
  median: number;
  low: Figure;
  high: Figure;
  ratio: Figure;
  ratio_low: Figure;
  ratio_high: Figure;
  rank: Rank | null;
  trusted: boolean;
  trials: Figure;
}

/** Fields of a published `P` as texts, nested ones by their path; only its own fields can be read. */
interface Texts<P> extends Map<string, string> {
  get(key: keyof P & string): string | undefined;
}

/** A record, as the page of one run shows it: the head as it was written, trials as columns. */
export interface RunRecord {
  id: string;
  lane: string;
  environment: Texts<Published.Environment>;
  harness: Texts<Published.Harness>;
  seed: string;
  apps: Texts<Published.AppRecord>[];
  /** Those that were tried before the run, the one that was taken first. */
  splits: With<Published.SplitTried, { server_cpus: string; generator_cpus: string }>[];
  trials: TrialTable;
}

/** A field of a trial, nested ones by their path. */
export type TrialField = keyof Published.Trial | `latency_ms.${keyof Published.Latency}`;

/** Columns of equal length, by field. */
export interface TrialTable {
  rows: number;
  columns: Map<string, (string | number | null)[]>;
}
