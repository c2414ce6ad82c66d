// From the published documents to what the site computes with.
import { describe, expect, it } from 'vitest';
import { foundAt, valueAt } from '../../src/data/figures';
import type * as Published from '../../src/data/generated/published';
import { index } from '../../src/data/lanes';
import { changes, period, runFigures, series } from '../../src/data/read';
import { record } from '../../src/data/record';
import { history } from '../synthetic/generate';

const files = history({ weeks: 60, lanes: 1 });
function file<T>(path: string): T {
  const found = files.get(path);
  if (found === undefined) throw new Error(`no ${path}`);
  return structuredClone(found) as T;
}
const plaintext = () => file<Published.Figures>('data/hosted-x64/series/weekly/plaintext.json');

describe('the index', () => {
  it('has a lane for each series, and partial runs', () => {
    const { lanes } = index(file('data/index.json'));
    expect(lanes.get('hosted-x64')).toMatchObject({ profile: 'weekly', runs: 60 });
    expect(lanes.get('hosted-x64')?.partial.map(({ id }) => id)).toEqual(['20261113T041700Z-f3c']);
    expect(lanes.get('hosted-x64:database')).toMatchObject({ place: 'hosted-x64', profile: 'database', runs: 6 });
  });
  it('has a lane of partial runs only', () => {
    const source = file<Published.Index>('data/index.json');
    Object.assign(source.lanes['hosted-x64'] ?? {}, { series: {} });
    expect(index(source).lanes.get('hosted-x64')).toMatchObject({ runs: 0, newest: null });
  });
});

describe('a series', () => {
  it('has its runs, what they measured, and their times', () => {
    const { runs, subjects, versions } = period(file('data/hosted-x64/series/weekly.json'));
    expect([runs.length, subjects.size, versions.get('axum')?.length]).toEqual([60, 24, 60]);
    expect(new Date(runs.at(-1)?.started_at ?? 0).toISOString()).toBe('2026-11-16T04:17:00.000Z');
  });
  it('calls a pre-release one', () => {
    const source = file<Published.Runs>('data/hosted-x64/series/weekly.json');
    source.versions.axum = ['0.3.0-alpha.4', '0.3.0-rc1+linux', '0.3.0', '0.3.0+of-linux', null];
    const shown = ['0.3.0-alpha.4 (pre-release)', '0.3.0-rc1+linux (pre-release)', '0.3.0', '0.3.0+of-linux', null];
    expect(period(source).versions.get('axum')).toEqual(shown);
  });
  it('has figures', () => {
    const figures = series(plaintext());
    const cpu = figures.metrics.get('server_cpu_us_per_request');
    expect(cpu && valueAt(figures, cpu, 0, 59)?.trusted).toBe(true);
  });
  it('says how many sessions are behind a figure, where that is known', () => {
    const source = plaintext();
    const cpu = source.metrics.server_cpu_us_per_request as Published.Matrix;
    const sessionsOf = (run: number) => {
      const read = series(source);
      const columns = read.metrics.get('server_cpu_us_per_request');
      return columns && valueAt(read, columns, 0, run)?.sessions;
    };
    expect(sessionsOf(59)).toBeNull();
    cpu.sessions = source.runs.map((_, run) => (run === 59 ? 4 : null));
    expect([sessionsOf(58), sessionsOf(59)]).toEqual([null, 4]);
  });
  it('loses a metric that this page does not know', () => {
    const source = plaintext();
    source.metrics.happiness = source.metrics.goodput_rps as Published.Matrix;
    expect(series(source).metrics.has('happiness')).toBe(false);
  });
  it('never trusts a verdict that it does not know, nor ranks what is not trusted', () => {
    const source = plaintext();
    source.verdicts[0] = source.runs.map(() => 'abducted' as Published.Verdict);
    const cpu = source.metrics.server_cpu_us_per_request as Published.Matrix;
    cpu.trusted = cpu.trusted.map((row, at) => (at === 1 ? row.map(() => 0) : row));
    for (const end of ['rank_best', 'rank_worst'] as const) cpu[end] = (cpu[end] ?? []).map(row => row.map(() => 1));
    const read = series(source);
    const columns = read.metrics.get('server_cpu_us_per_request');
    if (!columns) throw new Error('no columns');
    for (const subject of [0, 1]) {
      expect(valueAt(read, columns, subject, 0)).toMatchObject({ trusted: false, rank: null });
    }
  });
});

it('a step that most apps took together has them, and one of the machine has none', () => {
  const source = file<Published.HistoryReport>('data/hosted-x64/changes/weekly.json');
  const common: Partial<Published.Change> = {
    scenario: 'plaintext',
    metric: 'goodput_rps',
    run: 'x',
    started_at: '2026-11-16T04:17:00Z',
    size: 0.1,
    causes: [],
  };
  const shared_by = ['axum', 'axum (tuned)'];
  source.common = [{ ...common, shared_by }, common] as Published.Change[];
  expect(changes(source).common.map(each => each.shared_by)).toEqual([shared_by, []]);
});

describe('a run', () => {
  const id = '20261116T041700Z-3bc';
  it('says what it found', () => {
    const { run, period, series } = runFigures(file(`data/hosted-x64/runs/${id}.json.gz`));
    expect([run.id, period.runs.length, series.size]).toEqual([id, 1, 13]);
    const [hello] = series.values();
    const cpu = hello && foundAt(hello, 'server_cpu_us_per_request', 'ohkami', run);
    expect(cpu).toMatchObject({ trusted: true, rank: { best: 1 } });
    expect((cpu?.ratio_low ?? 9) < (cpu?.ratio ?? 0) && (cpu?.ratio ?? 9) < (cpu?.ratio_high ?? 0)).toBe(true);
  });
  it('has a record that is read trial by trial', () => {
    const { trials, splits } = record(file(`runs/hosted-x64/${id}.json.gz`));
    expect(trials.rows).toBe(6 * 13 * 24);
    expect(trials.columns.get('order')?.slice(0, 2)).toEqual([1, 2]);
    expect(trials.columns.has('latency_ms.p99')).toBe(true);
    expect(splits.map(({ server_cpus }) => server_cpus)).toEqual(['0', '0, 1']);
  });
  it('has a column for each field that any trial has', () => {
    const source = file<Published.Record>(`runs/hosted-x64/${id}.json.gz`);
    const [first, second] = source.trials as [Published.Trial, Published.Trial];
    Object.assign(first, { latency_ms: { p50: 1.5 }, reasons: ['a', 'b'], apart: true });
    Object.assign(second, { latency_ms: null, apart: undefined, extra: 1 });
    source.trials = [first, second];
    const { columns } = record(source).trials;
    expect(columns.get('latency_ms.p50')).toEqual([1.5, null]);
    expect(columns.get('extra')).toEqual([null, 1]);
    expect(columns.get('reasons')?.[0]).toBe('a; b');
    expect(columns.get('apart')?.[0]).toBe('yes');
  });
});
