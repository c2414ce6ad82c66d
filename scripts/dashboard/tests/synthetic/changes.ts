// changes.json: what a perfect history would find of what was planted.
import type * as Published from '../../src/data/generated/published';
import type { Measured } from './series';
import { EVENTS, SCENARIOS } from './world';

const METRIC = 'server_cpu_us_per_request';

/** The first run on another runner, where there is one: `hosted-x64` was measured on both, and the other lanes were not. */
function jointOf(
  runs: Measured[],
  at: (place: number) => { run: string; started_at: string },
  lane: string,
): Published.Joint[] {
  const place = runs.findIndex(run => run.runner !== runs[0]?.runner);
  if (place < 1) return [];
  const [before, after] = [runs[place - 1]?.runner ?? '', runs[place]?.runner ?? ''];
  const joint = { ...at(place), before, after };
  if (lane !== 'hosted-x64') return [{ ...joint, pairs: 0 }];
  const joined = [
    { metric: METRIC, figures: 170, begun_again: 0, size: 0.048, uncertainty: 0.021 },
    { metric: 'instructions_per_request', figures: 160, begun_again: 2, size: 0.006, uncertainty: 0.0004 },
  ];
  return [{ ...joint, pairs: 3, joined }];
}

export function changesFile(lane: string, runs: Measured[]): Published.Story {
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
      p: 0.0004,
      runs_before: place,
      runs_after: runs.length - place,
      verdict: size > 0 ? 'regression' : 'improvement',
      state: runs.length - place > 2 ? 'confirmed' : 'suspected',
      confirmed_by: runs[place + 1]?.id ?? null,
      stands: true,
      causes: [{ ...event.cause, run: at(place).run }],
    };
  };
  const second = runs.findIndex(run => run.progress >= 0.7);
  const mark = (
    place: number,
    kind: Published.MarkKind,
    before: string,
    after: string,
    app?: string,
  ): Published.Mark => ({
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
  return {
    schema_version: 1,
    lane,
    profile: 'weekly',
    runs: runs.length,
    judged: 720,
    segments: [0, second]
      .filter(place => place >= 0)
      .map(place => ({
        machine: `${runs[place]?.machine.cpu_model}, ${runs[place]?.machine.logical_cpus} logical cpus`,
        ...at(place),
        runs: place === 0 ? second : runs.length - second,
      })),
    joints: [...jointOf(runs, at, lane)],
    marks: [
      ...(second > 0
        ? [mark(second, 'machine', runs[0]?.machine.cpu_model ?? '', runs[second]?.machine.cpu_model ?? '')]
        : []),
      ...compilers,
      ...EVENTS.filter(({ cause }) => cause.kind === 'framework').map(({ at, app, cause }) =>
        mark(first(at), 'release', cause.before, cause.after, app),
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
        size: -0.06,
        causes: [{ kind: 'rustc', name: 'rustc', before: '1.82.0', after: '1.83.0', run: at(first(0.5)).run }],
      },
    ],
    drifts: [],
  };
}
