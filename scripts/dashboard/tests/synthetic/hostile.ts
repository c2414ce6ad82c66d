// A history that means harm, or was cut off: markup where names should be, figures that are none, verdicts and metrics of a
// later harness, files that are missing or broken, and a lane with ten thousand runs.
import { type Files, history } from './generate';

export const MARKUP = '<img src=x onerror="window.__pwned=1"><script>window.__pwned=1</script>';
export const MANY_RUNS = 10_000;

// biome-ignore lint/suspicious/noExplicitAny: the point is to break the shape of what was generated with types.
type Loose = any;

/** Names that mean harm, in files that are sound: nothing of them is missing or left out. */
export function renamed(files: Files): Files {
  const runs = files.get('data/hosted-x64/series/2026-11/runs.json') as Loose;
  for (const subject of Object.values(runs.subjects) as Loose[]) subject.name = `${MARKUP}${subject.name}`;
  runs.subjects.viz.known_fault = MARKUP;
  runs.scenarios.plaintext.title = MARKUP;
  for (const run of runs.runs) Object.assign(run, { rustc: MARKUP, machine: { cpu_model: MARKUP, logical_cpus: 4 } });
  runs.runs.at(-1).warnings = [MARKUP];

  const { changes } = files.get('data/hosted-x64/changes.json') as Loose;
  Object.assign(changes[0], { app: 'axum', state: 'confirmed', started_at: '2026-11-16T04:17:00Z' });
  changes[0].causes = [{ kind: MARKUP, name: MARKUP, before: MARKUP, after: MARKUP }];

  const record = newestRecord(files);
  record.trials[0].reasons = [MARKUP];
  record.environment.governor = MARKUP;
  record.apps[0].name = MARKUP;
  record.summary[0].reasons = [MARKUP];

  const scaling = files.get('data/self-hosted/scaling.json') as Loose;
  for (const { subject } of scaling.curves) subject.name = `${MARKUP}${subject.name}`;
  scaling.curves[0].title = MARKUP;
  scaling.run.machine.cpu_model = MARKUP;

  const breaks = files.get('data/probes/breaks.json') as Loose;
  breaks.cpu_model = MARKUP;
  breaks.cases[0].title = MARKUP;
  breaks.servers[1].name = MARKUP;
  const failed = breaks.results.find((each: Loose) => each.outcome === 'failed');
  Object.assign(failed, { got: MARKUP, received: MARKUP });
  const story = files.get('data/probes/index.json') as Loose;
  story.changes[0].causes = [{ kind: MARKUP, name: MARKUP }];
  return files;
}

function newestRecord(files: Files): Loose {
  const paths = [...files.keys()].filter(path => path.startsWith('data/hosted-x64/2026'));
  return files.get(paths.sort().at(-1) ?? '');
}

export function hostile(): Files {
  const files = renamed(history({ weeks: 30, lanes: 3, seed: 7 }));
  const index = files.get('data/index.json') as Loose;
  const lanes = index.lanes;
  spoil(files, 'hosted-x64');
  lanes.many = manyRuns(files);
  lanes.future = { ...lanes['hosted-arm64'], months: ['2026-11'], years: [] };
  files.set('data/future/series/2026-11/runs.json', { schema_version: 99, runs: [] });
  files.set('data/future/changes.json', { schema_version: 99 });
  lanes.missing = { runs: 3, newest: null, months: ['2026-11'], years: ['2025'] };
  lanes.broken = { ...lanes['hosted-arm64'], months: ['2026-11'], years: [] };
  files.set('data/broken/series/2026-11/runs.json', '{"schema_version": 1, "runs": [');
  files.set('data/broken/changes.json', 'not JSON at all');
  lanes.empty = {};
  lanes['../../etc'] = { runs: 1, months: ['2026-11'] };
  lanes[MARKUP] = { runs: 1, months: ['2026-11'] };
  lanes.__proto__x = 'no object';
  lanes['hosted-x64'].partial.newest.push({ id: MARKUP, started_at: 'never' }, null);
  lanes['hosted-x64'].others = { [MARKUP]: {}, quick: 'no object', scaling: { runs: 1 } };
  files.set('data/hosted-x64/scaling.json', { schema_version: 99 });
  spoilScaling(files);
  index.unknown_key = { anything: [1, 2, 3] };
  spoilProbes(files);
  return files;
}

/** Every place of the newest month that a reader could trust too much. */
function spoil(files: Files, lane: string): void {
  const period = '2026-11';
  const runs = files.get(`data/${lane}/series/${period}/runs.json`) as Loose;
  runs.subjects.axum.link = 'javascript:window.__pwned=1';
  runs.subjects.warp.role = 'emperor';
  runs.subjects.poem = null;
  runs.subjects[MARKUP] = { app: MARKUP, role: 'framework', tier: 'maintained' };
  runs.versions.axum = [MARKUP, MARKUP, MARKUP];
  runs.versions.ntex = 'not a list';
  runs.scenarios.timed.load = { model: 'chaotic' };
  runs.scenarios.heavy = { title: 'A scenario with nothing else in it', load: { model: 'closed' } };
  runs.scenarios[MARKUP] = { load: { model: 'closed' } };
  runs.runs[0].warnings = [MARKUP];
  runs.runs.at(-1).machine = { cpu_model: MARKUP, logical_cpus: 'NaN' };
  runs.runs.at(-1).warnings = [MARKUP, 7, null];
  runs.runs.push({ id: MARKUP, started_at: 'yesterday' }, null);

  const series = files.get(`data/${lane}/series/${period}/plaintext.json`) as Loose;
  series.verdicts[0] = series.verdicts[0].map(() => 'abducted');
  series.reasons[1] = series.reasons[1].map(() => MARKUP);
  series.verdicts[1] = series.verdicts[1].map(() => 'client_bound');
  const cpu = series.metrics.server_cpu_us_per_request;
  cpu.median[2] = cpu.median[2].map(() => 'NaN');
  cpu.low[3] = null;
  cpu.ratio[4] = cpu.ratio[4].map(() => -1);
  cpu.median[5] = cpu.median[5].map(() => 1e308);
  // A range that ends before it begins, from none, to more than there are, in halves, and none at all.
  for (const [row, best, worst] of [
    [6, 5, 2],
    [7, 0, 3],
    [8, 1, 1e9],
    [9, 1.5, 2],
    [10, MARKUP, 2],
    [11, null, 2],
  ]) {
    cpu.rank_best[row as number] = cpu.rank_best[row as number].map(() => best);
    cpu.rank_worst[row as number] = cpu.rank_worst[row as number].map(() => worst);
  }
  cpu.behind = cpu.median.map((row: unknown[]) => row.map(() => [MARKUP, -1, 1e9, null, [0]]));
  cpu.behind[13] = MARKUP;
  cpu.trusted[1] = cpu.trusted[1].map(() => 0);
  // Of a variant: an interval that is upside down, and one that ends nowhere.
  const variant = series.subjects.indexOf('axum:current-thread');
  cpu.ratio_low[variant] = cpu.ratio_low[variant].map(() => 1e308);
  cpu.ratio_high[variant] = cpu.ratio_high[variant].map(() => 0);
  series.metrics.happiness = cpu;
  series.metrics[MARKUP] = cpu;
  series.subjects[20] = MARKUP;
  files.set(`data/${lane}/series/${period}/hello.json`, { schema_version: 99 });
  files.set(`data/${lane}/series/${period}/simple.json`, '{"schema_version": 1,');
  files.delete(`data/${lane}/series/${period}/bcrypt.json`);

  const changes = files.get(`data/${lane}/changes.json`) as Loose;
  changes.changes[0].verdict = MARKUP;
  changes.changes.push({ app: MARKUP }, null, 'text', { size: 'NaN' });
  changes.marks.push({ run: MARKUP, kind: MARKUP, started_at: 'never' });
  changes.marks[0].kind = MARKUP;
  changes.segments = 'none';

  const record = newestRecord(files);
  Object.assign(record.trials[0], { app: MARKUP, unknown: MARKUP });
  record.trials[1].goodput_rps = 'NaN';
  record.trials[2].verdict = 'abducted';
  record.trials.push(MARKUP, null, [MARKUP]);
  // Latencies that are none, of servers that nobody knows, in rounds that are none.
  const paced = record.trials.filter((trial: Loose) => trial?.scenario === 'hello-r1000');
  paced[0].latency_ms = { p50: 'NaN', p90: -1, p95: 0, p99: 1e308, p99_9: null };
  Object.assign(paced[1], { app: MARKUP, round: MARKUP, attempt: MARKUP });
  paced[2].latency_ms = MARKUP;
  paced[3].verdict = 'abducted';
  record.environment.splits = [MARKUP, null, { server_cpus: [MARKUP, -1], goodput_rps: 'NaN' }];
  record.summary[0].metrics.server_cpu_us_per_request.rank = { best: 1 };
  for (const cell of record.summary) cell.metrics.goodput_rps = MARKUP;
}

/** Widths that no machine has, speed-ups that are none, and laws of nothing. */
function spoilScaling(files: Files): void {
  const scaling = files.get('data/self-hosted/scaling.json') as Loose;
  const [first, second, third] = scaling.curves;
  first.points[0].reason = MARKUP;
  first.points[1].speed_up = { estimate: 1e308, low: 0, high: 'NaN' };
  first.points[2].speed_up = { estimate: 0, low: 5, high: 1 };
  first.points[3].workers = 1e9;
  first.points.push(null, { workers: -1 }, MARKUP);
  first.law = { contention: { estimate: 1e308 }, coherency: MARKUP };
  second.subject.app = MARKUP;
  second.law = MARKUP;
  third.no_law = MARKUP;
  third.law = null;
  third.points = MARKUP;
  scaling.run.machine = { cpu_model: MARKUP, logical_cpus: 'NaN' };
  scaling.curves.push(null, MARKUP);
}

/** What is not understood is left out, and what is markup is text. */
function spoilProbes(files: Files): void {
  const breaks = files.get('data/probes/breaks.json') as Loose;
  breaks.cases[0].sent = `${MARKUP}${'x'.repeat(100_000)}`;
  breaks.cases[1].source = 'javascript:window.__pwned=1';
  breaks.cases.push(MARKUP, null, { id: MARKUP }, { ...breaks.cases[0], id: 'new', group: MARKUP, level: 'shall' });
  breaks.servers[0].made = { connections: 'NaN', [MARKUP]: 3 };
  breaks.servers.push({ app: '../../etc' }, null);
  const failed = breaks.results.find((each: Loose) => each.outcome === 'failed');
  failed.figures = { [MARKUP]: 1, cpu_ms: 'NaN' };
  breaks.results.push({ ...failed, case: 'unheard-of' }, { ...failed, outcome: 'exploded' }, MARKUP, null);
  const story = files.get('data/probes/index.json') as Loose;
  story.runs.at(-1).failed = { axum: MARKUP, [MARKUP]: 3, ohkami: 7 };
  story.changes.push(MARKUP, null, { app: MARKUP });
}

/** One month with ten thousand runs of three apps in one scenario. */
function manyRuns(files: Files): unknown {
  const small = history({ weeks: 1, lanes: 1 });
  const runs = small.get('data/hosted-x64/series/2026-11/runs.json') as Loose;
  const series = small.get('data/hosted-x64/series/2026-11/plaintext.json') as Loose;
  const start = Date.UTC(2026, 10, 1);
  const keep = ['axum', 'rocket', 'reference'];
  const at = (n: number) => new Date(start + n * 240_000).toISOString();
  const ids = Array.from(
    { length: MANY_RUNS },
    (_, n) => `${at(n).slice(0, 19).replace(/[-:]/g, '')}Z-${n.toString(16)}`,
  );
  const stretch = (row: unknown[]) =>
    ids.map((_, n) =>
      typeof row[0] === 'number' && row[0] > 0.2 && !Number.isInteger(row[0]) ? row[0] * (1 + (n % 17) / 400) : row[0],
    );
  const pick = (matrix: unknown[][]) => keep.map(key => stretch(matrix[series.subjects.indexOf(key)] ?? []));
  for (const key of ['subjects', 'versions', 'binary_bytes']) {
    runs[key] = Object.fromEntries(
      keep.map(app => [app, key === 'subjects' ? runs[key][app] : stretch(runs[key][app])]),
    );
  }
  runs.runs = ids.map((id, n) => ({ ...runs.runs[0], id, started_at: at(n) }));
  runs.scenarios = { plaintext: runs.scenarios.plaintext };
  for (const columns of Object.values(series.metrics) as Loose[])
    for (const field of Object.keys(columns)) columns[field] = pick(columns[field]);
  Object.assign(series, { runs: ids, verdicts: pick(series.verdicts), reasons: pick(series.reasons), subjects: keep });
  files.set('data/many/series/2026-11/runs.json', { ...runs, lane: 'many' });
  files.set('data/many/series/2026-11/plaintext.json', { ...series, lane: 'many' });
  return { runs: MANY_RUNS, newest: runs.runs.at(-1), months: ['2026-11'], years: [] };
}
