// The judgement on two servers of a run: its direction, its size, and what it takes.
import { expect, it } from 'vitest';
import type { Value } from '../../src/data/figures';
import { CPU } from '../../src/data/metrics';
import { judgePair, type Line, tallies } from '../../src/data/pair';
import type { Series } from '../../src/data/types';
import { inWords, sentence } from '../../src/views/compare';

const value = (ratio: number, more: Partial<Value> = {}) =>
  ({ ratio, trusted: true, sessions: null, ...more }) as Value;

const seriesOf = (half: number | null, mark: string) =>
  ({
    subjects: ['actix-web', 'axum'],
    metrics: new Map([[CPU.id, { pair_half_widths: [[[]], [[half]]], pair_verdicts: ['', mark] }]]),
  }) as unknown as Series;

/** Actix Web at 0.93 of the reference, Axum at 1. */
const judged = (half: number | null, more: Partial<Value> = {}, swapped = false, mark = '>') => {
  const [actix, axum] = [
    { key: 'actix-web', value: value(0.93, more) },
    { key: 'axum', value: value(1, more) },
  ] as const;
  const series = seriesOf(half, mark);
  return swapped ? judgePair(series, CPU, axum, actix) : judgePair(series, CPU, actix, axum);
};

it('the left one is better where it needs less', () => {
  expect(judged(0.02)).toMatchObject({ kind: 'apart', better: true });
  expect(judged(0.02, {}, true)).toMatchObject({ kind: 'apart', better: false });
});

it('its size is the quotient, its interval as wide as the shared rounds say', () => {
  const found = judged(0.02);
  if (found.kind !== 'apart') throw new Error(found.kind);
  expect(found.middle).toBeCloseTo(0.93, 9);
  expect(found.low).toBeCloseTo(0.93 * Math.exp(-0.02), 9);
  expect(found.high).toBeCloseTo(0.93 * Math.exp(0.02), 9);
});

it('whether the two differ is what their run says, whatever the interval', () => {
  expect(judged(0.02, {}, false, '=').kind).toBe('alike');
  expect(judged(0.08).kind).toBe('apart');
  expect(judged(0.02, {}, false, '.').kind).toBe('unjudged');
});

it('nothing is judged without shared rounds or trust', () => {
  expect(judged(null)).toMatchObject({ kind: 'unjudged', why: expect.stringContaining('shared rounds') });
  expect(judged(0.02, { trusted: false })).toMatchObject({ kind: 'unjudged', why: expect.stringContaining('trusted') });
});

const said = (swapped: boolean, values: Partial<Pick<Line, 'a' | 'b'>>) => {
  const machine = { cpu_model: 'Some cpu', logical_cpus: 4 };
  const judgement = judged(0.02, {}, swapped);
  const line = { kind: 'Without a database', metric: CPU, judgement, run: { machine }, ...values } as Line;
  const [a, b] = swapped ? ['Axum', 'Actix Web'] : ['Actix Web', 'Axum'];
  return tallies([line]).map(each => sentence(each, a, b))[0];
};
const AHEAD = 'Without a database: Actix Web is ahead of Axum in 1 of 1 kind of work';

it('a sentence names who is ahead, whichever is left, by own work', () => {
  const [actix, axum] = [15.4, 28.1].map(own_work => value(1, { own_work, own_work_margin: 9 })) as [Value, Value];
  const expected = `${AHEAD}: own work 15 ±9 against 28 ±9.`;
  expect(said(false, { a: actix, b: axum })).toBe(expected);
  expect(said(true, { a: axum, b: actix })).toBe(expected);
});

it('without own work it says where the interval lies, and on which machine', () => {
  const expected = `${AHEAD}: 5.1\u00a0% to 8.8\u00a0% less CPU per request on Some cpu, 4 cpus, with 95 %.`;
  expect(said(false, {})).toBe(expected);
  expect(said(true, {})).toBe(expected);
});

it('medians that contradict the ratio of shared rounds are not beside it', () => {
  const line = { judgement: judged(0.02), metric: CPU, a: value(1, { median: 17.7 }), b: value(1, { median: 17.6 }) };
  expect(inWords(line as Line, 'Actix Web', 'Axum')).toMatch(/^−7\.0.% \(.*\), Actix Web ahead$/);
  line.b.median = 19;
  expect(inWords(line as Line, 'Actix Web', 'Axum')).toMatch(/Actix Web ahead · 17\.7 and 19\.0.µs$/);
});
