// Variants that people argue about, against the default of the same app: which pairs the newest runs of all profiles of a place have.
import { cellAt, foundAt } from './figures';
import { paired } from './judge';
import { kindsOf } from './kinds';
import type { Metric } from './metrics';
import type { RatioLine } from './ratios';
import { newestRun, runOf } from './runs';
import { fullTitle } from './scenarios';
import type { Store } from './store';
import type { Index, Lane, Run, Scenario, Series, Subject } from './types';

type Question = 'allocator' | 'json' | 'runtime' | 'cpu' | 'set-up' | 'other';

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
  scenario: Scenario;
  title: string;
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
        if (series === undefined) return [];
        const title = fullTitle(scenario, period.scenarios);
        return [{ lane: name, kind: label, scenario, title, series, run: runOf(newest, series), variants }];
      });
    }),
  );
  return found.flat();
}

/** Lines of a metric that the runs have on both sides or on one; with `control`, JSON libraries are compared with theirs. */
export function variantLines(measured: Measured[], metric: Metric, control: boolean): RatioLine[] {
  return measured.flatMap(({ lane, variants, scenario, title, series, run }) =>
    variants.flatMap(({ question, name, subject, base, control: other }): RatioLine[] => {
      const first = control && other !== null ? other : base;
      const at = ({ key }: Subject) => foundAt(series, metric.id, key, run);
      const [a, b] = [at(first), at(subject)];
      const verdict = cellAt(series, metric.id, subject.key, run.id)?.verdict ?? null;
      // The month may have it, and this run not; or this kind of work has no such figure.
      if (b === null && (a === null || verdict === null)) return [];
      const judgement = paired(series, metric, { key: subject.key, value: b }, { key: first.key, value: a });
      const of = { question, name, against: first.variant, server: base.name, subject, lane, run };
      return [{ ...of, work: scenario.id, title, scenario: scenario.id, a, b, verdict, judgement }];
    }),
  );
}
