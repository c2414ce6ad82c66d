import { describe, expect, it } from 'vitest';
import { valueAt } from '../../src/data/figures';
import { Notices } from '../../src/data/parse/border';
import { changes } from '../../src/data/parse/changes';
import { index } from '../../src/data/parse/lanes';
import { period } from '../../src/data/parse/period';
import { record } from '../../src/data/parse/record';
import { series } from '../../src/data/parse/series';
import { history } from '../synthetic/generate';

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
    const broken = file('data/hosted-x64/series/2026-10/plaintext.json') as {
      verdicts: string[][];
      metrics: Record<string, Record<string, number[][]>>;
    };
    broken.verdicts[0] = ['abducted', 'abducted', 'abducted', 'abducted'];
    const cpu = broken.metrics.server_cpu_us_per_request ?? {};
    cpu.trusted = (cpu.trusted ?? []).map((row, at) => (at === 1 ? row.map(() => 0) : row));
    cpu.rank_tier = (cpu.rank_tier ?? []).map(row => row.map(() => 1));
    const { parsed } = read(series, broken);
    const columns = parsed.metrics.get('server_cpu_us_per_request');
    if (!columns) throw new Error('no columns');
    for (const subject of [0, 1]) {
      expect(valueAt(parsed, columns, subject, 0)).toMatchObject({ trusted: false, rankTier: null });
    }
  });

  it.each([null, 7, 'text', [], { schema_version: 99 }])('%o is refused with a sentence', value => {
    for (const parse of [index, period, series, changes]) expect(typeof parse(value, new Notices())).toBe('string');
    expect(typeof record(value)).toBe('string');
  });
});

describe('a record', () => {
  const path = [...files.keys()].find(key => /hosted-x64\/2026\d+T/.test(key)) ?? '';
  it('is read from columns', () => {
    const parsed = record(file(path));
    if (typeof parsed === 'string') throw new Error(parsed);
    expect(parsed.trials.rows).toBe(6 * 12 * 24);
    expect(parsed.trials.columns.get('order')?.slice(0, 2)).toEqual([1, 2]);
    expect(parsed.trials.columns.has('latency_ms.p99')).toBe(true);
    expect(parsed.trials.columns.get('started_after_seconds')?.slice(0, 3)).toEqual([3, 6, 9]);
  });
  it('is read from rows as well', () => {
    const trial = { app: 'axum', round: 1, verdict: 'valid', latency_ms: { p50: 1.5 }, reasons: ['a', 'b'] };
    const parsed = record({ schema_version: 2, id: 'x', trials: [trial, { app: 'rocket', extra: 1 }] });
    if (typeof parsed === 'string') throw new Error(parsed);
    expect(parsed.trials.columns.get('latency_ms.p50')).toEqual([1.5, null]);
    expect(parsed.trials.columns.get('extra')).toEqual([null, 1]);
    expect(parsed.trials.columns.get('reasons')?.[0]).toBe('a; b');
  });
});
