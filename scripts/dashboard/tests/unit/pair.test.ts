// What is said of two servers of a run.
import { expect, it } from 'vitest';
import type { Value } from '../../src/data/figures';
import type { Judgement } from '../../src/data/judge';
import { CPU } from '../../src/data/metrics';
import { type Line, tallies } from '../../src/data/pair';
import { inWords, sentence } from '../../src/views/compare';
import { VALUE } from './values';

const value = (more: Partial<Value> = {}): Value => ({ ...VALUE, ...more });

/** Actix Web needs 0.93 of what Axum does. */
const judged = (swapped: boolean): Judgement => {
  const [low, middle, high] = [0.912, 0.93, 0.949];
  return swapped
    ? { ratio: { middle: 1 / middle, low: 1 / high, high: 1 / low }, told: 'bad', why: null }
    : { ratio: { middle, low, high }, told: 'good', why: null };
};

const said = (swapped: boolean, values: Partial<Pick<Line, 'a' | 'b'>>) => {
  const machine = { cpu_model: 'Some cpu', logical_cpus: 4 };
  const judgement = judged(swapped);
  const line = { kind: 'Without a database', metric: CPU, judgement, run: { machine }, ...values } as Line;
  const [a, b] = swapped ? ['Axum', 'Actix Web'] : ['Actix Web', 'Axum'];
  return tallies([line]).map(each => sentence(each, a, b))[0];
};
const AHEAD = 'Without a database: Actix Web is ahead of Axum in 1 of 1 kind of work';

it('a sentence names who is ahead, whichever is left, by own work', () => {
  const [actix, axum] = [15.4, 28.1].map(own_work => value({ own_work, own_work_margin: 9 })) as [Value, Value];
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
  const line = { judgement: judged(false), metric: CPU, a: value({ median: 17.7 }), b: value({ median: 17.6 }) };
  expect(inWords(line as Line, 'Actix Web', 'Axum')).toMatch(/^−7\.0.% \(.*\), Actix Web ahead$/);
  line.b.median = 19;
  expect(inWords(line as Line, 'Actix Web', 'Axum')).toMatch(/Actix Web ahead · 17\.7 and 19\.0.µs$/);
});

it('without a verdict of the run the figures are there, and nobody is ahead', () => {
  const line = { judgement: { ...judged(false), told: null }, metric: CPU, a: null, b: null };
  expect(inWords(line as unknown as Line, 'Actix Web', 'Axum')).toMatch(/^−7\.0.% \(−8\.8.% to −5\.1.%\)$/);
  expect(tallies([line as unknown as Line]).map(({ ahead, behind, alike }) => [ahead, behind, alike].flat())).toEqual([
    [],
  ]);
});
