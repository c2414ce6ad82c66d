import { describe, expect, it } from 'vitest';
import { startsOf, trendColumns } from '../../src/charts/trend-data';
import { basisOf, missedRounds } from '../../src/data/figures';
import type { History } from '../../src/data/history';
import { CPU } from '../../src/data/metrics';
import { along, families, fullTitle } from '../../src/data/scenarios';
import { ordered, type Row } from '../../src/data/snapshot';
import type { Rank, Run, Scenario, Subject } from '../../src/data/types';
import { VALUE } from './values';

const subject = (key: string): Subject => ({
  key,
  app: key,
  variant: 'default',
  name: key,
  link: 'https://example.com/',
  role: 'framework',
  tier: 'maintained',
  framework: key,
  protocols: [],
  known_fault: null,
  note: null,
  services: new Map(),
});
const value = (ratio: number | null, rank: Rank | null, trusted = true, trials = 6) => ({
  ...VALUE,
  median: (ratio ?? 2) * 10,
  ratio,
  rank,
  trusted,
  trials,
  verdict: trusted ? 'valid' : 'unstable',
});
const row = (key: string, ...given: Parameters<typeof value>): Row => ({
  subject: subject(key),
  version: null,
  cell: { value: value(...given), verdict: null, reason: null },
});
const keys = (rows: Row[]) => rows.map(({ subject }) => subject.key).join('');

describe('the order of a ranking', () => {
  const rows = [
    row('d', 0.5, null, false),
    // Its range begins before b's, for it spreads more; its ratio is worse all the same.
    row('c', 1.5, { best: 1, worst: 4 }),
    row('b', 1.1, { best: 2, worst: 3 }),
    row('f', null, null),
    row('a', 1, { best: 1, worst: 2 }),
    row('e', 0.9, null),
  ];
  it('follows the ratio: no row stands above one that is better; what is not trusted comes last', () => {
    const basis = basisOf(rows.map(({ cell }) => cell.value));
    expect(basis).toBe('ratio');
    expect(keys(ordered(rows, CPU, basis))).toBe('eabcfd');
  });
  it('follows the figure where there are no ratios, and is reversed where more is better', () => {
    const plain = [row('a', 1, null), row('b', 3, null), row('c', 2, null), row('d', 9, null, false)];
    expect(keys(ordered(plain, { ...CPU, better: 'more' }, 'figure'))).toBe('bcad');
  });
});

describe('missing rounds', () => {
  const rounds = { planned: 6, most: 6 };
  it('are said of what is trusted', () => {
    expect(missedRounds(value(1, null, true, 4), rounds)).toBe('4 of 6 rounds');
    expect(missedRounds(value(1, null, true, 6), rounds)).toBeNull();
    expect(missedRounds(value(1, null, false, 2), rounds)).toBeNull();
  });
  it('are none where nobody has more, as of what is counted once', () => {
    expect(missedRounds(value(1, null, true, 1), { planned: 6, most: 1 })).toBeNull();
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
    keep_alive: true,
    load: { model: 'closed' },
    seconds: 1,
    ...more,
  });
  const tls = scenario('p-tls', { protocol: 'http1-tls', varies: { like: 'p', by: 'protocol' } });
  const all = new Map([scenario('p'), tls].map(each => [each.id, each]));
  it('form families', () => {
    const [family] = families(all);
    expect(family?.dimensions.get('protocol')?.map(({ id }) => id)).toEqual(['p', 'p-tls']);
    expect(fullTitle(tls, all)).toBe('T: HTTP/1.1 over TLS');
    expect(along(scenario('r', { load: { model: 'open', rate_rps: 4000 } }), 'rate')).toBe('4,000 req/s');
  });
  it('stand for themselves without their base, or where they name each other', () => {
    expect(families(new Map([['p-tls', tls]]))).toHaveLength(1);
    const a = scenario('a', { varies: { like: 'b', by: 'rate' } });
    const b = scenario('b', { varies: { like: 'a', by: 'rate' } });
    expect(families(new Map([a, b].map(each => [each.id, each]))).length).toBeGreaterThan(0);
  });
});

describe('columns of a trend', () => {
  const run = (started_at: number) => ({ id: String(started_at), started_at }) as Run;
  const past: History = {
    points: [1000, 2000, 3000].map(at => ({ run: run(at) })),
    lines: [
      {
        subject: subject('a'),
        values: [value(1, null), value(2, null, false), value(3, null)],
        versions: [null, null, null],
      },
    ],
    metrics: new Set(),
    problems: [],
  };
  it('leave out what is not trusted', () => {
    const [line] = trendColumns(past, ['a'], CPU, 'ratio', []).lines;
    expect(line?.drawn.map(each => each?.middle ?? null)).toEqual([1, null, 3]);
  });
  it.each(['figure', 'ratio'] as const)('do not join figures of two machines or runners: %s', basis => {
    const segments = [0, 2500].map(started_at => ({ started_at }));
    const columns = trendColumns(past, ['a'], CPU, basis, startsOf({ segments }));
    expect(columns.x).toEqual([1, 2, 2.5, 3]);
    expect(columns.points).toEqual([0, 1, null, 2]);
  });
});
