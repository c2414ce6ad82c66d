// The runs of a series, and the files of its scenarios.
import type * as Published from '../../src/data/generated/published';
import { ownMetric } from '../../src/data/scenarios';
import { FIGURES, type Scenario } from '../../src/data/types';
import { type CellFigures, four } from './figures';
import { type App, EVENTS, type Kind, keyOf, linkOf, type Shape, WEEKLY } from './world';

export interface Measured {
  id: string;
  startedAt: string;
  finishedAt: string;
  of: Kind;
  /** Share of the history, 0 to 1. */
  progress: number;
  machine: Published.Machine;
  /** The label of its runner. */
  runner: string;
  rustc: string;
  commit: string;
  warnings: string[];
  /** Unless it made only part of its profile. */
  whole?: boolean;
  /** By scenario, then by subject. */
  cells: Map<string, Map<string, CellFigures>>;
}

const FIELDS = [...FIGURES, 'rank_best', 'rank_worst'] as const satisfies (keyof Published.Matrix)[];

function scenarioOf({ cpu: _, own: __, ...shape }: Shape): Published.Scenario {
  return {
    stands_for: `What ${shape.title} stands for.`,
    body: shape.method === 'POST' ? '{"payload":"world"}' : null,
    protocol: 'http1',
    streams: 1,
    keep_alive: true,
    isolation: 'native',
    load: { model: 'closed' },
    seconds: 1.5,
    ...shape,
  };
}

export const versionOf = (app: string, progress: number): string => {
  const bumps = EVENTS.filter(event => event.app === app && event.cause.kind === 'framework');
  const bump = bumps[0];
  if (bump !== undefined) return progress >= bump.at ? bump.cause.after : bump.cause.before;
  return `1.${Math.floor(progress * (3 + app.length))}.0`;
};

/** With what the page of a run shows as it was recorded, and no view names. */
export type Recorded<T> = T & Record<string, unknown>;

export const subjectOf = (app: App, progress: number): Recorded<Published.AppRecord> => ({
  id: app.app,
  variant: app.variant,
  name: app.name,
  link: linkOf(app),
  role: app.role,
  tier: app.tier,
  framework: app.app,
  framework_version: versionOf(app.app, progress),
  binary_bytes: 3_100_000,
  build_seconds: 14.2,
  source_hash: 'a'.repeat(64),
  lockfile_hash: 'b'.repeat(64),
  protocols: app.tier === 'legacy' ? ['http1'] : ['http1', 'http1-tls', 'http2', 'http2-tls'],
  note: null,
  known_fault: app.app === 'astra' ? 'a malformed body is answered with 500' : null,
  ...(app.services === undefined ? {} : { services: app.services }),
});

/** All runs of a series share a kind. */
const kindOf = (runs: Measured[]): Kind => runs[0]?.of ?? WEEKLY;

export function periodFile(
  lane: Published.Lane,
  runs: Measured[],
  head: (run: Measured) => Published.Run,
): Published.Runs {
  const { apps, scenarios } = kindOf(runs);
  const each = <T>(figure: (app: App, run: Measured) => T) =>
    Object.fromEntries(apps.map(app => [keyOf(app), runs.map(run => figure(app, run))]));
  return {
    schema_version: 3,
    lane,
    profile: kindOf(runs).profile,
    runs: runs.map(head),
    subjects: Object.fromEntries(apps.map(app => [keyOf(app), subjectOf(app, runs.at(-1)?.progress ?? 0)])),
    versions: each((app, run) => versionOf(app.app, run.progress)),
    binary_bytes: each((app, run) => Math.round(2_400_000 + app.cost * 700_000 + run.progress * 200_000)),
    scenarios: Object.fromEntries(scenarios.map(shape => [shape.id, scenarioOf(shape)])),
  };
}

/** Which matrices a metric has, as the contract says: others are left out, and so is one that is null everywhere. */
const DRIFTS = new Set<Published.Metric>([
  'goodput_rps',
  'server_cpu_us_per_request',
  'instructions_per_request',
  'capacity_rps',
  'latency_p50_ms',
]);
const RANKED = new Set<Published.Metric>([...DRIFTS, 'rss_peak_bytes', 'startup_ms']);

const P99: Published.Metric = 'latency_p99_ms';

/** At a fixed rate, of enough requests in a round. */
const hasP99 = ({ load, seconds }: Published.Scenario): boolean =>
  load?.model === 'open' && load.rate_rps * seconds >= 10_000;

const fieldsOf = (metric: Published.Metric): readonly (typeof FIELDS)[number][] =>
  FIELDS.filter(field => {
    if (metric === P99 && (field === 'low' || field === 'high')) return true;
    if (field === 'low' || field === 'high' || field.startsWith('rank')) return RANKED.has(metric);
    return field.startsWith('ratio') ? DRIFTS.has(metric) : true;
  });

export function seriesFile(lane: Published.Lane, scenario: string, runs: Measured[]): Published.Figures {
  const { apps, scenarios } = kindOf(runs);
  const shape = scenarios.find(({ id }) => id === scenario);
  const cell = (app: App, run: Measured) => run.cells.get(scenario)?.get(keyOf(app));
  const matrix = <T>(figure: (cell: CellFigures | undefined) => T) =>
    apps.map(app => runs.map(run => figure(cell(app, run))));
  const names = new Set(
    runs.flatMap(run => [...(run.cells.get(scenario)?.values() ?? [])].flatMap(({ metrics }) => [...metrics.keys()])),
  );
  const columns = (name: Published.Metric): Published.Matrix => {
    const figures = (field: (typeof FIELDS)[number]) =>
      matrix(found => {
        const summary = found?.metrics.get(name);
        const needsTrust = field !== 'median' && field !== 'trusted' && field !== 'trials';
        return summary === undefined || (needsTrust && summary.trusted === 0) ? null : summary[field];
      });
    const known = fieldsOf(name)
      .map(field => [field, figures(field)] as const)
      .filter(([, rows]) => rows.some(row => row.some(figure => figure !== null)));
    return {
      median: matrix(found => found?.metrics.get(name)?.median ?? null),
      trusted: matrix(found => found?.metrics.get(name)?.trusted ?? null),
      ...Object.fromEntries(known),
    };
  };
  return {
    schema_version: 3,
    lane,
    profile: kindOf(runs).profile,
    scenario,
    runs: runs.map(({ id }) => id),
    subjects: apps.map(keyOf),
    verdicts: matrix(found => found?.verdict ?? null),
    reasons: matrix(found => found?.reason ?? null),
    metrics: Object.fromEntries(
      [...names]
        .filter(name => name !== P99 || (shape !== undefined && hasP99(scenarioOf(shape))))
        .map(name => [name, columns(name)]),
    ),
  };
}

/** Of one run: what each protocol costs a subject, in the scenarios that vary another one by it. */
export function withCosts(all: Published.Figures[], scenarios: Shape[]): Published.Figures[] {
  const cpu = ({ metrics }: Published.Figures) => metrics.server_cpu_us_per_request as Published.Matrix;
  for (const { id, varies } of scenarios.filter(({ varies }) => varies?.by === 'protocol')) {
    const [own, plain] = [id, varies?.like].map(wanted => all.find(({ scenario }) => scenario === wanted));
    if (own === undefined || plain === undefined) continue;
    const ratio = (factor: number) =>
      cpu(own).median.map(([median = null], row) => {
        const of = cpu(plain).median[row]?.[0] ?? null;
        return [median === null || of === null ? null : four((median / of) * factor)];
      });
    Object.assign(cpu(own), { to_plain: ratio(1), to_plain_low: ratio(0.98), to_plain_high: ratio(1.02) });
  }
  return all;
}

/** How much more it takes to tell two apart in all of their work together. */
const FOR_ALL = 1.5;

/** Of one run: by what its work is about, how wide the interval of each pair is, as if nothing tied the two together, and what it says. */
export function withPairs(figures: Published.Figures, shape: Shape): Published.Figures {
  const matrix = figures.metrics[ownMetric(scenarioOf(shape) as Scenario)];
  if (matrix !== undefined) {
    const half = (row: number) => {
      const [low, high] = [matrix.ratio_low?.[row]?.[0], matrix.ratio_high?.[row]?.[0]];
      return low == null || high == null ? null : 0.5 * Math.log(high / low);
    };
    const ratio = (row: number) => matrix.ratio?.[row]?.[0] ?? null;
    const mark = (row: number, before: number) => {
      const [one, other, width] = [ratio(row), ratio(before), pair(half(row), half(before))];
      if (one === null || other === null || width === null) return '.';
      if (Math.abs(Math.log(one / other)) <= FOR_ALL * width) return '=';
      return one < other ? '<' : '>';
    };
    const pair = (one: number | null, other: number | null) =>
      one === null || other === null ? null : four(Math.hypot(one, other));
    matrix.pair_half_widths = figures.subjects.map((_, row) => [
      figures.subjects.slice(0, row).map((_, before) => pair(half(row), half(before))),
    ]);
    matrix.pair_verdicts = figures.subjects.map((_, row) =>
      figures.subjects
        .slice(0, row)
        .map((_, before) => mark(row, before))
        .join(''),
    );
  }
  return figures;
}
