// changes.json: what a perfect history would find of what was planted.
import type { Measured } from './series';
import { EVENTS, SCENARIOS } from './world';

const METRIC = 'server_cpu_us_per_request';

export function changesFile(lane: string, runs: Measured[]) {
  const first = (at: number) =>
    Math.max(
      1,
      runs.findIndex(run => run.progress >= at),
    );
  const change = (event: (typeof EVENTS)[number], scenario: string) => {
    const place = first(event.at);
    const size = event.factor - 1;
    return {
      app: event.app,
      variant: 'default',
      scenario,
      metric: METRIC,
      run: runs[place]?.id,
      started_at: runs[place]?.startedAt,
      previous_run: runs[place - 1]?.id,
      size,
      low: size - 0.02,
      high: size + 0.02,
      p: 0.0004,
      runs_before: place,
      runs_after: runs.length - place,
      verdict: size > 0 ? 'regression' : 'improvement',
      state: runs.length - place > 2 ? 'confirmed' : 'suspected',
      confirmed_by: runs[place + 1]?.id ?? null,
      causes: [event.cause],
    };
  };
  const second = runs.findIndex(run => run.progress >= 0.7);
  const mark = (place: number, kind: string, before: string, after: string, app?: string) => ({
    run: runs[place]?.id,
    started_at: runs[place]?.startedAt,
    kind,
    app,
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
        run: runs[place]?.id,
        started_at: runs[place]?.startedAt,
        runs: place === 0 ? second : runs.length - second,
      })),
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
        run: runs[first(0.5)]?.id,
        started_at: runs[first(0.5)]?.startedAt,
        size: -0.06,
        causes: [{ kind: 'rustc', name: 'rustc', before: '1.82.0', after: '1.83.0' }],
      },
    ],
  };
}
