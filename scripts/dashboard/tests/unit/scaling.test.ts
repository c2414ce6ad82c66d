// Servers at several widths: what is read, who is drawn, and what the law says.
import { describe, expect, it } from 'vitest';
import { MOST_LINES } from '../../src/data/chosen-lines';
import type * as Published from '../../src/data/generated/published';
import type { Metric } from '../../src/data/metrics';
import { scaling } from '../../src/data/read';
import {
  chosenOf,
  inOrder,
  isDrawn,
  SCALED,
  scalingLines,
  speedUpBy,
  widestOf,
  widthsOf,
} from '../../src/data/scaling';
import type { Scaling, ScalingCurve } from '../../src/data/types';
import { history } from '../synthetic/generate';

const PATH = 'data/self-hosted/scaling.json';
const found = scaling(history({ weeks: 1 }).get(PATH) as Published.Scaling);

const of = ({ curves }: Scaling, app: string, scenario = 'plaintext') =>
  curves.find(curve => curve.app.app === app && curve.like === scenario) as ScalingCurve;

describe('the file', () => {
  it('is read as it is published', () => {
    expect(found.server_cores).toBe(8);
    expect(widthsOf(found.curves)).toEqual([1, 2, 4, 8, 16]);
    const axum = of(found, 'axum');
    expect(axum.app).toMatchObject({ key: 'axum', variant: 'default', role: 'framework' });
    expect(axum.points.map(({ own_cores }) => own_cores)).toEqual([true, true, true, true, false]);
    expect(axum.points[0]?.speed_up).toBeNull();
    expect(axum.points[0]?.cell.metrics.get('goodput_rps')).toMatchObject({ trusted: true, ratio: null });
    expect(axum.law?.contention).toMatchObject({ median: 0.03, interval: { low: 0.018, high: 0.042 } });
  });
});

describe('the lines', () => {
  const curves = inOrder(found.curves.filter(({ like }) => like === 'plaintext'));
  it('are in the order of their speed-up at the widest width whose workers have a core each', () => {
    expect(widestOf(curves)).toBe(8);
    const at = (curve: ScalingCurve) => curve.points.find(({ workers }) => workers === 8)?.speed_up?.estimate ?? 0;
    const frameworks = curves.filter(({ app }) => app.role === 'framework').map(at);
    expect(frameworks).toEqual([...frameworks].sort((a, b) => b - a));
    expect(curves[0]?.app.role).toBe('reference');
    expect(curves.at(-1)?.app.role).toBe('ceiling');
  });
  it('are the reference and the first three that have a speed-up, or those that the address names', () => {
    expect(chosenOf(null, curves)).toHaveLength(4);
    expect(chosenOf(null, curves).slice(0, 2)).toEqual(['reference', 'ohkami']);
    expect(chosenOf('best', curves)).toEqual(chosenOf(null, curves));
    expect(chosenOf('rocket,ceiling,unheard-of', curves)).toEqual(['rocket', 'ceiling']);
    expect(chosenOf('none', curves)).toEqual([]);
    expect(chosenOf(curves.map(({ app }) => app.key).join(','), curves)).toHaveLength(MOST_LINES);
  });
  it('are none of a server that the load generator limits from the first worker on', () => {
    expect(isDrawn(of(found, 'ceiling'))).toBe(false);
    expect(isDrawn(of(found, 'may-minihttp'))).toBe(true);
  });
});

describe('each width against one worker', () => {
  const lines = scalingLines(found, inOrder(found.curves), SCALED[0] as Metric, 'self-hosted');
  const line = (app: string, name: string) =>
    lines.find(({ subject, work, ...each }) => subject.app === app && work === 'plaintext' && each.name === name);
  it('has a ratio with its interval, and both figures', () => {
    const rocket = line('rocket', '8 workers');
    expect(rocket).toMatchObject({
      against: 'one worker',
      lane: 'self-hosted',
      judgement: { told: null, why: null },
    });
    expect(rocket?.judgement.ratio?.middle).toBeCloseTo(8 / (1 + 0.12 * 7 + 0.01 * 56), 0);
    expect((rocket?.b?.median ?? 0) / (rocket?.a?.median ?? 1)).toBeCloseTo(rocket?.judgement.ratio?.middle ?? 0, 1);
    expect(lines.some(({ name }) => name === '1 workers')).toBe(false);
  });
  it('is not judged where the server was not the limit', () => {
    expect(line('ceiling', '2 workers')).toMatchObject({ verdict: 'client_bound', judgement: { ratio: null } });
    expect(line('astra', '4 workers')).toMatchObject({ verdict: 'crashed', b: null });
  });
});

it('the law is Gunther’s, and Amdahl’s without κ', () => {
  const figure = (median: number) => ({ median, interval: null, count: 6 });
  expect(speedUpBy({ contention: figure(0.25), coherency: null }, 2)).toBeCloseTo(1.6);
  expect(speedUpBy({ contention: figure(0.02), coherency: figure(0.001) }, 4)).toBeCloseTo(4 / 1.072);
  expect(speedUpBy({ contention: figure(0), coherency: figure(0) }, 8)).toBe(8);
});
