import { describe, expect, it } from 'vitest';
import { trendColumns } from '../../src/charts/trend-data';
import type { History } from '../../src/data/history';
import { CPU } from '../../src/data/metrics';
import { along, families, fullTitle } from '../../src/data/scenarios';
import { bands, type Row } from '../../src/data/snapshot';
import type { RunDetail, Scenario, Subject } from '../../src/data/types';

const subject = (key: string): Subject => ({
  key,
  app: key,
  variant: 'default',
  name: key,
  link: null,
  role: 'framework',
  tier: 'maintained',
  framework: null,
  protocols: [],
  knownFault: null,
});
const value = (ratio: number, rankTier: number | null, trusted = true) => ({
  median: ratio * 10,
  low: ratio * 9,
  high: ratio * 11,
  ratio,
  ratioLow: ratio * 0.95,
  ratioHigh: ratio * 1.05,
  rankTier,
  trusted,
  trials: 6,
  verdict: trusted ? 'valid' : 'unstable',
  reason: null,
});
const row = (key: string, ...given: Parameters<typeof value>): Row => ({
  subject: subject(key),
  version: null,
  cell: { value: value(...given), verdict: null, reason: null },
});

describe('the bands of a ranking', () => {
  const rows = [row('d', 0.5, null, false), row('b', 1.1, 1), row('c', 1.5, 2), row('a', 1, 1), row('e', 0.9, null)];
  it('go by rank tier, then ratio; what is not trusted comes last, however good it looks', () => {
    expect(bands(rows, false).map(({ rank, rows }) => [rank, rows.map(({ subject }) => subject.key).join('')])).toEqual(
      [
        [1, 'ab'],
        [2, 'c'],
        [null, 'e'],
        ['untrusted', 'd'],
      ],
    );
  });
});

describe('scenarios', () => {
  const scenario = (id: string, more: Partial<Scenario> = {}): Scenario => ({
    id,
    title: 'T',
    method: 'GET',
    path: '/',
    protocol: 'http1',
    connections: 64,
    streams: 1,
    keepAlive: true,
    isolation: 'native',
    load: { model: 'closed' },
    seconds: 1,
    varies: null,
    ...more,
  });
  const tls = scenario('p-tls', { protocol: 'http1-tls', varies: { like: 'p', by: 'protocol' } });
  const all = new Map([scenario('p'), tls].map(each => [each.id, each]));
  it('form families', () => {
    const [family] = families(all);
    expect(family?.dimensions.get('protocol')?.map(({ id }) => id)).toEqual(['p', 'p-tls']);
    expect(fullTitle(tls, all)).toBe('T: HTTP/1.1, TLS');
    expect(along(scenario('r', { load: { model: 'open', rate: 4000 } }), 'rate')).toBe('4,000 req/s');
  });
  it('stand for themselves without their base, or where they name each other', () => {
    expect(families(new Map([['p-tls', tls]]))).toHaveLength(1);
    const a = scenario('a', { varies: { like: 'b', by: 'rate' } });
    const b = scenario('b', { varies: { like: 'a', by: 'rate' } });
    expect(
      families(
        new Map([
          ['a', a],
          ['b', b],
        ]),
      ).length,
    ).toBeGreaterThan(0);
  });
});

describe('columns of a trend', () => {
  const run = (startedAt: number) => ({ id: String(startedAt), startedAt }) as RunDetail;
  const past: History = {
    points: [1000, 2000, 3000].map(at => ({ run: run(at), period: '', runs: 1 })),
    lines: [
      {
        subject: subject('a'),
        values: [value(1, 1), value(2, null, false), value(3, 1)],
        versions: [null, null, null],
      },
    ],
    problems: [],
  };
  it('leave out what is not trusted', () => {
    expect(trendColumns(past, ['a'], CPU, 'ratio', []).lines[0]?.median).toEqual([1, null, 3]);
  });
  it('do not join figures of two machines', () => {
    const segments = [0, 2500].map(startedAt => ({ machine: '', run: '', startedAt, runs: null }));
    const columns = trendColumns(past, ['a'], CPU, 'absolute', segments);
    expect(columns.x).toEqual([1, 2, 2.5, 3]);
    expect(columns.points).toEqual([0, 1, null, 2]);
    expect(trendColumns(past, ['a'], CPU, 'ratio', segments).x).toEqual([1, 2, 3]);
  });
});
