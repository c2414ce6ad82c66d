// Servers at several widths: in which order they stand, and each width against one worker.
import { describe, expect, it } from 'vitest';
import type * as Published from '../../src/data/generated/published';
import type { Metric } from '../../src/data/metrics';
import { scaling } from '../../src/data/read';
import { inOrder, SCALED, scalingLines } from '../../src/data/scaling';
import type { ScalingCurve } from '../../src/data/types';
import { history } from '../synthetic/generate';

const PATH = 'data/self-hosted/scaling.json';
const found = scaling(history({ weeks: 1 }).get(PATH) as Published.Scaling);

it('servers are in the order of their largest speed-up with a core for each worker', () => {
  const curves = inOrder(found.curves.filter(({ like }) => like === 'plaintext'));
  const most = ({ points }: ScalingCurve) =>
    Math.max(0, ...points.flatMap(({ workers, speed_up }) => (workers <= 8 ? (speed_up?.estimate ?? []) : [])));
  const frameworks = curves.filter(({ app }) => app.role === 'framework').map(most);
  expect(frameworks).toEqual(frameworks.toSorted((a, b) => b - a));
  expect(frameworks[0]).toBeGreaterThan(7);
  expect(curves[0]?.app.role).toBe('reference');
  expect(curves.at(-1)?.app.role).toBe('ceiling');
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
  it('says where workers have no core for themselves', () => {
    expect(line('rocket', '16 workers, which share 8 cores')).toBeDefined();
    expect(line('rocket', '16 workers')).toBeUndefined();
  });
  it('has no ratio where the server was not the limit', () => {
    expect(line('ceiling', '2 workers')).toMatchObject({ verdict: 'client_bound', judgement: { ratio: null } });
    expect(line('astra', '4 workers')).toMatchObject({ verdict: 'crashed', b: null });
  });
});
