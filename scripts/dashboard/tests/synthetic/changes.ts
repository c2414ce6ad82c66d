// changes.json: what a perfect history would find of what was planted.
import type * as Published from '../../src/data/generated/published';
import type { Measured } from './series';
import { EVENTS, SCENARIOS } from './world';

const METRIC = 'server_cpu_us_per_request';

export function changesFile(lane: string, runs: Measured[]): Published.HistoryReport {
  const first = (at: number) =>
    Math.max(
      1,
      runs.findIndex(run => run.progress >= at),
    );
  const at = (place: number) => {
    // A history of one run has no second.
    const run = (runs[place] ?? runs.at(-1)) as Measured;
    return { run: run.id, started_at: run.startedAt };
  };
  const change = (event: (typeof EVENTS)[number], scenario: string): Published.Change => {
    const place = first(event.at);
    const size = event.factor - 1;
    return {
      app: event.app,
      variant: 'default',
      scenario,
      metric: METRIC,
      ...at(place),
      previous_run: at(place - 1).run,
      size,
      low: size - 0.02,
      high: size + 0.02,
      verdict: size > 0 ? 'regression' : 'improvement',
      state: runs.length - place > 2 ? 'confirmed' : 'suspected',
      causes: [{ ...event.cause, run: at(place).run }],
    };
  };
  const second = runs.findIndex(run => run.progress >= 0.7);
  const mark = (place: number, kind: Published.Kind, before: string, after: string, app?: string): Published.Mark => ({
    ...at(place),
    kind,
    app: app ?? null,
    before,
    after,
  });
  const compilers = runs.flatMap((run, place) => {
    const before = runs[place - 1]?.rustc;
    return before !== undefined && before !== run.rustc ? [mark(place, 'rustc', before, run.rustc)] : [];
  });
  const moved = runs.findIndex(run => run.runner !== runs[0]?.runner);
  const begins = [...new Set([0, second, moved])].filter(place => place >= 0).sort((a, b) => a - b);
  return {
    schema_version: 2,
    lane,
    profile: 'weekly',
    runs: runs.length,
    segments: begins.map(place => ({ started_at: at(place).started_at })),
    marks: [
      ...(moved > 0 ? [mark(moved, 'runner', runs[moved - 1]?.runner ?? '', runs[moved]?.runner ?? '')] : []),
      ...(second > 0
        ? [mark(second, 'machine', runs[0]?.machine.cpu_model ?? '', runs[second]?.machine.cpu_model ?? '')]
        : []),
      ...compilers,
      ...EVENTS.filter(({ cause }) => cause.kind === 'framework').map(({ at, app, cause }) =>
        mark(first(at), 'framework', cause.before, cause.after, app),
      ),
    ],
    changes: EVENTS.flatMap(event =>
      event.scenario === null
        ? SCENARIOS.filter(({ own }) => own >= 0.8).map(({ id }) => change(event, id))
        : [change(event, event.scenario)],
    ),
    common: [
      {
        scenario: 'heavy',
        metric: METRIC,
        ...at(first(0.5)),
        previous_run: at(first(0.5) - 1).run,
        size: -0.06,
        low: -0.08,
        high: -0.04,
        verdict: 'change',
        state: 'confirmed',
        causes: [{ kind: 'rustc', name: 'rustc', before: '1.82.0', after: '1.83.0', run: at(first(0.5)).run }],
      },
    ],
  };
}
