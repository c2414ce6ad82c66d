import { describe, expect, it } from 'vitest';
import { valueAt } from '../../src/data/figures';
import { Notices } from '../../src/data/parse/border';
import { changes } from '../../src/data/parse/changes';
import { index } from '../../src/data/parse/lanes';
import { period } from '../../src/data/parse/period';
import { record } from '../../src/data/parse/record';
import { series } from '../../src/data/parse/series';
import { history } from '../synthetic/generate';

interface Matrices {
  metrics: Record<string, Record<string, unknown[][]>>;
}

const files = history({ weeks: 60, lanes: 1 });
const file = (path: string): unknown => {
  const found = files.get(path);
  if (found === undefined) throw new Error(`no ${path}`);
  return JSON.parse(JSON.stringify(found));
};
function read<T>(
  parse: (value: unknown, notices: Notices) => T | string,
  value: unknown,
): { parsed: T; notices: string[] } {
  const notices = new Notices();
  const parsed = parse(value, notices);
  if (typeof parsed === 'string') throw new Error(parsed);
  return { parsed, notices: notices.list };
}

describe('what follows the contract', () => {
  it('is read whole', () => {
    const lanes = read(index, file('data/index.json'));
    expect(lanes.notices).toEqual([]);
    expect(lanes.parsed.lanes.get('hosted-x64')?.months.at(-1)).toBe('2026-11');
    const month = read(period, file('data/hosted-x64/series/2026-10/runs.json'));
    expect(month.notices).toEqual([]);
    expect(month.parsed.subjects.size).toBe(24);
    expect(month.parsed.runs).toHaveLength(4);
    expect(month.parsed.versions.get('axum')).toHaveLength(4);
    const figures = read(series, file('data/hosted-x64/series/2026-10/plaintext.json'));
    expect(figures.notices).toEqual([]);
    const cpu = figures.parsed.metrics.get('server_cpu_us_per_request');
    expect(cpu && valueAt(figures.parsed, cpu, 0, 0)?.trusted).toBe(true);
    expect(read(changes, file('data/hosted-x64/changes.json')).notices).toEqual([]);
  });

  it('knows partial runs and series of other profiles', () => {
    const source = file('data/index.json') as { lanes: Record<string, Record<string, unknown>> };
    const lane = source.lanes['hosted-x64'] ?? {};
    lane.others = { quick: { runs: 2, newest: lane.newest, months: ['2026-11'], years: [] } };
    const { lanes } = read(index, source).parsed;
    expect(lanes.get('hosted-x64')?.partial.map(({ id }) => id)).toEqual(['20261113T041700Z-f3c']);
    expect(lanes.get('hosted-x64:quick')).toMatchObject({ place: 'hosted-x64', runs: 2, months: ['2026-11'] });
  });

  it('knows the points behind a year', () => {
    const year = read(period, file('data/hosted-x64/series/2025/runs.json')).parsed;
    expect(year.points?.every(points => points !== null && points >= 1)).toBe(true);
  });
});

describe('what does not', () => {
  it('loses a run in every list, so that places stay aligned', () => {
    const broken = file('data/hosted-x64/series/2026-10/runs.json') as {
      runs: { id: string }[];
      versions: Record<string, string[]>;
    };
    const [first] = broken.runs;
    if (first) first.id = '../x';
    broken.versions.axum = ['a', 'b', 'c', 'd'];
    const { parsed, notices } = read(period, broken);
    expect(parsed.runs).toHaveLength(3);
    expect(parsed.versions.get('axum')).toEqual(['b', 'c', 'd']);
    expect(notices).toEqual(['a run without an id or a time was left out']);
  });

  it('loses an unknown metric, and says so', () => {
    const broken = file('data/hosted-x64/series/2026-10/plaintext.json') as { metrics: Record<string, unknown> };
    broken.metrics.happiness = broken.metrics.goodput_rps;
    const { parsed, notices } = read(series, broken);
    expect(parsed.metrics.has('happiness')).toBe(false);
    expect(notices).toEqual(['metric “happiness” is not known to this page and was left out']);
  });

  it('never trusts a verdict that it does not know, nor ranks what is not trusted', () => {
    const broken = file('data/hosted-x64/series/2026-10/plaintext.json') as Matrices & { verdicts: string[][] };
    broken.verdicts[0] = ['abducted', 'abducted', 'abducted', 'abducted'];
    const cpu = broken.metrics.server_cpu_us_per_request ?? {};
    cpu.trusted = (cpu.trusted ?? []).map((row, at) => (at === 1 ? row.map(() => 0) : row));
    for (const end of ['rank_best', 'rank_worst']) cpu[end] = (cpu[end] ?? []).map(row => row.map(() => 1));
    const { parsed } = read(series, broken);
    const columns = parsed.metrics.get('server_cpu_us_per_request');
    if (!columns) throw new Error('no columns');
    for (const subject of [0, 1]) {
      expect(valueAt(parsed, columns, subject, 0)).toMatchObject({ trusted: false, rank: null });
    }
  });

  it('knows a step that most apps took together', () => {
    const source = file('data/hosted-x64/changes.json') as { common: object[] };
    const common = {
      scenario: 'plaintext',
      metric: 'goodput_rps',
      run: 'x',
      started_at: '2026-11-16T04:17:00Z',
      size: 0.1,
    };
    source.common = [
      { ...common, verdict: 'regression', shared_by: ['axum', 'axum (tuned)'] },
      { ...common, verdict: 'change', shared_by: 'all' },
    ];
    expect(read(changes, source).parsed.common.map(({ shared_by }) => shared_by)).toEqual([
      ['axum', 'axum (tuned)'],
      [],
    ]);
  });

  it.each([
    ['ends before it begins', 5, 2],
    ['begins with 0', 0, 3],
    ['ends after all that are there', 1, 25],
    ['is huge', 1, 1e308],
    ['is no whole number', 1.5, 2],
    ['is a text', '1', '2'],
    ['has one end', null, 2],
    ['is negative', -2, -1],
  ])('leaves out a rank that %s, and says so', (_, best, worst) => {
    const broken = file('data/hosted-x64/series/2026-10/plaintext.json') as Matrices;
    const cpu = broken.metrics.server_cpu_us_per_request ?? {};
    const [bests, worsts] = [cpu.rank_best?.[0], cpu.rank_worst?.[0]];
    if (!bests || !worsts) throw new Error('no ranks');
    [bests[0], worsts[0]] = [best, worst];
    const { parsed, notices } = read(series, broken);
    expect(parsed.metrics.get('server_cpu_us_per_request')?.rank[0]?.slice(0, 2)).toEqual([
      null,
      { best: bests[1], worst: worsts[1] },
    ]);
    expect(notices).toEqual(['a rank that is not a range of places was left out']);
  });

  it.each([null, 7, 'text', [], { schema_version: 99 }])('%o is refused with a sentence', value => {
    for (const parse of [index, period, series, changes]) expect(typeof parse(value, new Notices())).toBe('string');
    expect(typeof record(value)).toBe('string');
  });
});

describe('a record', () => {
  const path = [...files.keys()].find(key => /hosted-x64\/2026\d+T/.test(key)) ?? '';
  it('is read trial by trial', () => {
    const parsed = record(file(path));
    if (typeof parsed === 'string') throw new Error(parsed);
    expect(parsed.trials.rows).toBe(6 * 12 * 24);
    expect(parsed.trials.columns.get('order')?.slice(0, 2)).toEqual([1, 2]);
    expect(parsed.trials.columns.has('latency_ms.p99')).toBe(true);
  });
  it('says what it found', () => {
    const parsed = record(file(path));
    if (typeof parsed === 'string') throw new Error(parsed);
    expect(parsed.summary).toHaveLength(12 * 24);
    const cpu = parsed.summary[0]?.metrics.get('server_cpu_us_per_request');
    expect(cpu).toMatchObject({ trusted: true, rank: { best: 1 } });
    expect((cpu?.ratio_low ?? 9) < (cpu?.ratio ?? 0) && (cpu?.ratio ?? 9) < (cpu?.ratio_high ?? 0)).toBe(true);
    expect(parsed.splits.map(({ server_cpus }) => server_cpus)).toEqual(['0', '0, 1']);
  });
  it('says ratios and ranks as far as they are understood', () => {
    const cell = (figures: object) => ({
      app: 'axum',
      variant: 'default',
      scenario: 'plaintext',
      verdict: 'valid',
      reasons: [],
      metrics: { server_cpu_us_per_request: { median: 12, interval: null, trials: 6, trusted: true, ...figures } },
    });
    const found = (figures: object) => {
      const parsed = record({ schema_version: 4, id: 'x', apps: [{}, {}], summary: [cell(figures)] });
      if (typeof parsed === 'string') throw new Error(parsed);
      return parsed.summary[0]?.metrics.get('server_cpu_us_per_request');
    };
    const interval = { low: 0.9, high: 1.1 };
    expect(found({ ratio: { estimate: 1, interval }, rank: { best: 1, worst: 2 } })).toMatchObject({
      ratio: 1,
      ratio_low: 0.9,
      rank: { best: 1, worst: 2 },
    });
    for (const rank of [{ best: 2, worst: 1 }, { best: 1, worst: 3 }, { best: 0, worst: 1 }, [1, 2], 'first'])
      expect(found({ rank })?.rank).toBeNull();
    expect(found({ trusted: false, rank: { best: 1, worst: 1 } })?.rank).toBeNull();
  });
  it('has a column for each field that any trial has', () => {
    const trial = {
      app: 'axum',
      round: 1,
      verdict: 'valid',
      latency_ms: { p50: 1.5 },
      reasons: ['a', 'b'],
      apart: true,
      slices: { answers: [1, 2] },
    };
    const parsed = record({ schema_version: 4, id: 'x', trials: [trial, { app: 'rocket', extra: 1 }] });
    if (typeof parsed === 'string') throw new Error(parsed);
    expect(parsed.trials.columns.get('latency_ms.p50')).toEqual([1.5, null]);
    expect(parsed.trials.columns.get('extra')).toEqual([null, 1]);
    expect(parsed.trials.columns.get('reasons')?.[0]).toBe('a; b');
    expect(parsed.trials.columns.get('apart')).toEqual(['yes', null]);
    expect([...parsed.trials.columns.keys()].filter(name => name.startsWith('slices'))).toEqual([]);
  });
});
