// Percentiles at a fixed rate: which trials count, what a whisker is worth, and which lines are drawn.
import { describe, expect, it } from 'vitest';
import type * as Published from '../../src/data/generated/published';
import { coverage, curvesOf, percentilesOf, tailScale } from '../../src/data/percentiles';
import { record } from '../../src/data/record';
import type { Row } from '../../src/data/snapshot';
import { chosenOf, inOrder, MOST_LINES } from '../../src/views/now/lines';
import { history } from '../synthetic/generate';

interface Made {
  app?: string;
  variant?: string;
  scenario?: string;
  round?: number;
  attempt?: number;
  verdict?: string;
  p50?: unknown;
  p99?: unknown;
}

const trial = ({ p50 = 1, p99 = 4, ...rest }: Made) => ({
  app: 'axum',
  variant: 'default',
  scenario: 'hello-r1000',
  round: 1,
  attempt: 1,
  verdict: 'valid',
  ...rest,
  latency_ms: { p50, p99 },
});

/** A scenario at a rate, with loads of a second. */
const at = (rate_rps: number) => ({
  id: 'hello-r1000',
  load: { model: 'open', rate_rps } as const,
  requests: null,
  seconds: 1,
});

function curves(...made: Made[]) {
  const harness = { environment: { warnings: [] }, harness: {}, apps: [] };
  const read = record({ ...harness, trials: made.map(trial) } as unknown as Published.Record);
  return curvesOf(read.trials, at(100_000));
}

describe('the curve of a server', () => {
  it('is the median over the rounds, and reaches from the lowest to the highest', () => {
    const found = curves({ round: 1, p50: 3 }, { round: 2, p50: 1 }, { round: 3, p50: 2 }).get('axum');
    expect(found).toMatchObject({
      rounds: 3,
      points: [{ label: 'p50', median: 2, low: 1, high: 3 }, { label: 'p99' }],
    });
    expect(curves({ round: 1, p50: 3 }, { round: 2, p50: 1 }).get('axum')?.points[0]?.median).toBe(2);
  });
  it('takes the last attempt of each round, wherever that stands', () => {
    const found = curves({ attempt: 2, p50: 7 }, { attempt: 1, p50: 1 }, { round: 2, p50: 9 }).get('axum');
    expect(found?.points[0]).toMatchObject({ median: 8, low: 7, high: 9 });
  });
  it.each(['environment_failed', 'contract_failed', 'crashed', 'build_failed', 'abducted'])(
    'has nothing of a round that is %s',
    verdict => {
      expect(curves({ p50: 1 }, { round: 2, verdict, p50: 9 }).get('axum')?.points[0]?.high).toBe(1);
      expect(curves({ attempt: 1 }, { attempt: 2, verdict }).size).toBe(0);
    },
  );
  it('stands under a limit that was met: whether it is trusted, its cell says', () => {
    expect(curves({ verdict: 'client_bound', p50: 5 }).get('axum')?.points[0]?.median).toBe(5);
  });
  it('belongs to one scenario and one variant', () => {
    const found = curves({ p50: 1 }, { variant: 'tuned', p50: 2 }, { scenario: 'plaintext', p50: 3 });
    expect([...found.keys()]).toEqual(['axum', 'axum:tuned']);
  });
  it.each(['NaN', null, -1, 0])('has no point of %s, which a log axis cannot show', p50 => {
    expect(
      curves({ p50 })
        .get('axum')
        ?.points.map(({ label }) => label),
    ).toEqual(['p99']);
    expect(curves({ p50, p99: p50 }).size).toBe(0);
  });
  it('has the points of what is published for which a round has enough requests', () => {
    const files = history({ weeks: 1, lanes: 1 });
    const [path] = [...files.keys()].filter(each => /^runs\/hosted-x64\/20261116T/.test(each));
    const found = curvesOf(record(files.get(path ?? '') as Published.Record).trials, at(10_000));
    expect(found.get('axum')?.points.map(({ label }) => label)).toEqual(['p50', 'p90', 'p95', 'p99']);
    expect(found.get('axum')?.rounds).toBe(6);
    expect(found.has('astra')).toBe(false);
  });
});

it('a whisker of six rounds holds the median with 31 of 32, one of one round says nothing', () => {
  expect(coverage(6)).toBeCloseTo(31 / 32);
  expect(coverage(5)).toBeCloseTo(0.9375);
  expect([coverage(1), coverage(0)]).toEqual([0, 0]);
});

it('each further nine has the same room', () => {
  expect(tailScale(0.9)).toBeCloseTo(1);
  expect(tailScale(0.99) - tailScale(0.9)).toBeCloseTo(tailScale(0.999) - tailScale(0.99));
});

it('a percentile takes a hundred requests of a round beyond it', () => {
  const labels = (...work: Parameters<typeof percentilesOf>) => percentilesOf(...work).map(({ label }) => label);
  expect(labels(at(1000))).toEqual(['p50', 'p90']);
  expect(labels(at(9990))).not.toContain('p99');
  expect(labels(at(10_000)).at(-1)).toBe('p99');
  expect(labels({ ...at(1000), requests: 10_000 }).at(-1)).toBe('p99');
  expect(labels(at(100_000)).at(-1)).toBe('p99.9');
  expect(labels({ ...at(1), load: { model: 'closed' } })).toEqual([]);
});

describe('the lines', () => {
  const row = (key: string, ratio: number, more: { trusted?: boolean; role?: string } = {}): Row =>
    ({
      subject: { key, name: key, variant: 'default', tier: 'maintained', role: more.role ?? 'framework' },
      version: null,
      cell: { value: { median: ratio, ratio, trusted: more.trusted ?? true } },
    }) as Row;
  const rows = inOrder([
    row('slow', 3),
    row('grey', 0.5, { trusted: false }),
    row('reference', 1, { role: 'reference' }),
    row('quick', 0.9),
    row('even', 1),
    row('late', 1.5),
  ]);
  it('are the reference and the first three that are trusted', () => {
    expect(chosenOf(null, rows)).toEqual(['reference', 'quick', 'even', 'late']);
    expect(chosenOf('best', rows)).toEqual(chosenOf(null, rows));
  });
  it('are those that the address names, if they are there, trusted or not', () => {
    expect(chosenOf('slow,grey,unheard-of', rows)).toEqual(['slow', 'grey']);
    expect(chosenOf('none', rows)).toEqual([]);
  });
  it('are never more than can be told apart', () => {
    const many = Array.from({ length: 20 }, (_, at) => row(`app${at}`, at + 1));
    expect(chosenOf(many.map(({ subject }) => subject.key).join(','), many)).toHaveLength(MOST_LINES);
  });
});
