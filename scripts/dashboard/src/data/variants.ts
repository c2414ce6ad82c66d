// Variants that people argue about, against the default of the same app: which pairs the newest runs of all profiles of a place have.
import { cellAt, missedRounds, roundsOf, type Value } from './figures';
import { type Proof, proof } from './judge';
import { kindsOf } from './kinds';
import type { Metric } from './metrics';
import { newestRun, runOf } from './runs';
import type { Store } from './store';
import type { Index, Lane, Period, Run, Scenario, Series, Subject } from './types';

export type Question = 'allocator' | 'json' | 'runtime' | 'cpu' | 'set-up' | 'other';

const OF_NAME: Record<string, Question> = {
  mimalloc: 'allocator',
  jemalloc: 'allocator',
  'serde-json': 'json',
  'sonic-rs': 'json',
  'simd-json': 'json',
  'newer-cpu': 'cpu',
  'sonic-rs-newer-cpu': 'cpu',
  native: 'cpu', // of older runs
  'sonic-rs-native': 'cpu',
  tuned: 'set-up',
  'current-thread': 'set-up',
};

/** It reads the same bytes as the other libraries do, by the library of the default. */
export const CONTROL = 'serde-json';

const DEFAULT = 'default';

/** What a variant differs from in one thing, where that is not the default. */
const BASES: Record<string, string> = { 'sonic-rs-newer-cpu': 'sonic-rs', 'sonic-rs-native': 'sonic-rs' };

/** A runtime is a feature of its framework, and with it an app by itself: of whose default it is a variant, and what it is called. */
const APART: Record<string, { base: string; name: string }> = {
  'ntex-uring-services': { base: 'ntex-services', name: 'io_uring' },
};

/** One variant of one app: what it varies, and which question it answers. */
export interface Variant {
  question: Question;
  name: string;
  subject: Subject;
  /** The default of the same app, or the variant that it differs from in one thing. */
  base: Subject;
  /** The control among JSON libraries, if it was measured and this is not it. */
  control: Subject | null;
}

export function variantsOf(subjects: Map<string, Subject>): Variant[] {
  return [...subjects.values()].flatMap((subject): Variant[] => {
    const apart = APART[subject.app];
    const name = apart?.name ?? subject.variant;
    const other = BASES[subject.variant];
    const base = subjects.get(apart?.base ?? (other === undefined ? subject.app : `${subject.app}:${other}`));
    if (name === DEFAULT || base === undefined || base.variant !== (other ?? DEFAULT)) return [];
    if (apart !== undefined && subject.variant !== DEFAULT) return [];
    const question = apart === undefined ? (OF_NAME[subject.variant] ?? 'other') : 'runtime';
    const control = question === 'json' && name !== CONTROL ? subjects.get(`${subject.app}:${CONTROL}`) : undefined;
    return [{ question, name, subject, base, control: control ?? null }];
  });
}

/** A kind of work in the newest run that has it, and the variants there. */
export interface Measured {
  /** The series: `hosted-x64:variants`. */
  lane: string;
  kind: string;
  period: Period;
  scenario: Scenario;
  series: Series;
  run: Run;
  variants: Variant[];
}

/** Of each profile of the place the newest run; files are read only where there are variants. */
export async function measuredVariants(store: Store, index: Index, lane: Lane): Promise<Measured[]> {
  const all = await store.newestOfAll(lane.place);
  const found = await Promise.all(
    kindsOf(index, lane).map(async ({ lane: name, profile, label }): Promise<Measured[]> => {
      if (variantsOf(all.get(profile)?.period.subjects ?? new Map()).length === 0) return [];
      const newest = await newestRun(store, index.lanes.get(name));
      if (newest === null) return [];
      const { period } = newest;
      const variants = variantsOf(period.subjects);
      return [...period.scenarios.values()].flatMap((scenario): Measured[] => {
        const series = newest.series.get(scenario.id);
        return series === undefined
          ? []
          : [{ lane: name, kind: label, period, scenario, series, run: runOf(newest, series), variants }];
      });
    }),
  );
  return found.flat();
}

interface Found extends Value {
  missed: string | null;
}

/** A variant and what it is compared with, in one kind of work of one run. */
export interface VariantPair {
  variant: Variant;
  of: Measured;
  subject: Subject;
  scenario: Scenario;
  a: Found | null;
  b: Found | null;
  /** Of the variant. */
  verdict: string | null;
  judgement: Proof;
}

/** Pairs of a metric that the runs have on both sides or on one; with `control`, JSON libraries are compared with theirs. */
export function variantPairs(measured: Measured[], metric: Metric, control: boolean): VariantPair[] {
  return measured.flatMap(of =>
    of.variants.flatMap((variant): VariantPair[] => {
      const base = control && variant.control !== null ? variant.control : variant.base;
      const [a, b] = [found(of, metric, base.key), found(of, metric, variant.subject.key)];
      const verdict = cellAt(of.series, metric.id, variant.subject.key, of.run.id)?.verdict ?? null;
      // The month may have it, and this run not; or this kind of work has no such figure.
      if (b === null && (a === null || verdict === null)) return [];
      const judgement = proof(metric, { subject: base, value: a }, { subject: variant.subject, value: b });
      return [{ variant, of, subject: variant.subject, scenario: of.scenario, a, b, verdict, judgement }];
    }),
  );
}

function found({ series, run }: Measured, metric: Metric, key: string): Found | null {
  const value = cellAt(series, metric.id, key, run.id)?.value ?? null;
  return value === null ? null : { ...value, missed: missedRounds(value, roundsOf(series, metric.id, run)) };
}
