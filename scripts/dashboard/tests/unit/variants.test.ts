// Variants: which there are, what they are compared with, and what is said of them.
import { describe, expect, it } from 'vitest';
import type { Judgement } from '../../src/data/judge';
import { CPU, METRICS, type Metric } from '../../src/data/metrics';
import type { RatioLine } from '../../src/data/ratios';
import type { Subject, Tier } from '../../src/data/types';
import { measuredVariants, variantLines, variantsOf } from '../../src/data/variants';
import { counts, sizes, textOf, wordsOf } from '../../src/views/ratios/sentences';
import { history } from '../synthetic/generate';
import { loading } from './loaded';
import { VALUE } from './values';

const subject = (key: string, tier: Tier = 'maintained'): Subject => {
  const [app = '', variant = 'default'] = key.split(':');
  return { key, app, variant, name: app, tier, role: 'framework' } as Subject;
};

const MEMORY = METRICS.get('rss_peak_bytes') as Metric;

const subjects = (...keys: string[]) => new Map(keys.map(key => [key, subject(key)]));

describe('variants', () => {
  it.each([
    ['axum:mimalloc', 'allocator'],
    ['axum:jemalloc', 'allocator'],
    ['axum:serde-json', 'json'],
    ['axum:sonic-rs', 'json'],
    ['axum:simd-json', 'json'],
    ['axum:newer-cpu', 'cpu'],
    ['axum:native', 'cpu'],
    ['axum:tuned', 'set-up'],
    ['axum:current-thread', 'set-up'],
    ['axum:never-heard-of', 'other'],
  ])('%s belongs to the question %s', (key, question) => {
    const [found] = variantsOf(subjects('axum', key));
    expect(found).toMatchObject({ question, base: { key: 'axum' }, subject: { key } });
  });
  it('are none without a default of the same app', () => {
    expect(variantsOf(subjects('axum', 'actix-web'))).toEqual([]);
    expect(variantsOf(subjects('axum:mimalloc', 'actix-web'))).toEqual([]);
  });
  it('may differ in one thing from another variant, and are none without it', () => {
    expect(variantsOf(subjects('axum', 'axum:sonic-rs', 'axum:sonic-rs-native')).at(-1)).toMatchObject({
      question: 'cpu',
      base: { key: 'axum:sonic-rs' },
    });
    expect(variantsOf(subjects('axum', 'axum:sonic-rs-native'))).toEqual([]);
  });
  it('may be an app by itself, for a runtime is a feature of a package', () => {
    expect(variantsOf(subjects('ntex-services', 'ntex-uring-services'))).toMatchObject([
      { question: 'runtime', name: 'io_uring', base: { key: 'ntex-services' } },
    ]);
    expect(variantsOf(subjects('ntex-uring-services'))).toEqual([]);
  });
  it('of JSON have a control, which has none itself', () => {
    const found = variantsOf(subjects('axum', 'axum:serde-json', 'axum:sonic-rs', 'axum:mimalloc'));
    expect(found.map(({ name, control }) => [name, control?.key ?? null])).toEqual([
      ['serde-json', null],
      ['sonic-rs', 'axum:serde-json'],
      ['mimalloc', null],
    ]);
  });
});

const line = (told: Judgement['told'], ratio: Judgement['ratio'], why: string | null = null, server = 'axum') =>
  ({
    server,
    subject: subject(server),
    b: told === null && ratio === null ? null : VALUE,
    verdict: 'crashed',
    judgement: { told, ratio, why },
  }) as unknown as RatioLine;
const around = (middle: number) => ({ middle, low: middle - 0.01, high: middle + 0.01 });

describe('what is said', () => {
  it('is cheaper or costlier of what a request costs, better or worse of all else', () => {
    expect(wordsOf(CPU)).toEqual({ good: 'cheaper', bad: 'costlier' });
    expect(wordsOf(MEMORY)).toEqual({ good: 'better', bad: 'worse' });
  });
  it('over many frameworks reaches from the least to the most, and claims no interval where there is none', () => {
    const of = (server: string, middle: number) =>
      line(null, { middle, low: null, high: null }, 'too few shared rounds for an interval', server);
    const lines = [of('Poem', 1.3), of('Axum', 1.18), of('Tide', 1.25)];
    expect(sizes(['TLS', lines], CPU)).toBe(
      'TLS: +18\u00a0% (Axum) to +30\u00a0% (Poem) CPU per request, of 3 frameworks; Axum +18\u00a0%.',
    );
    expect(textOf(of('Axum', 1.18), CPU)).toBe('1.18×, too few shared rounds for an interval');
  });
  it('of a line has the ratio, its interval, and what its run says', () => {
    expect(textOf(line('good', around(0.8)), CPU)).toBe('0.800× (0.790 to 0.810), cheaper in this session');
    expect(textOf(line('alike', around(1)), CPU)).toBe('1.00× (0.990 to 1.01), too close to call');
    expect(textOf(line(null, around(0.8)), MEMORY)).toBe('0.800× (0.790 to 0.810)');
    expect(textOf(line(null, null), CPU)).toBe('crashed');
  });
  it('of many counts what runs say, and without that has the ratios', () => {
    const known = [line('good', around(0.8)), line('bad', around(1.2)), line('alike', around(1))];
    expect(counts(['mimalloc', known], CPU)).toBe(
      'mimalloc is cheaper in 1 (0.800×) and costlier in 1 (1.20×) of 3 comparisons.',
    );
    expect(counts(['mimalloc', known.slice(2)], CPU)).toBe('mimalloc is too close to call in 1 comparison.');
    const untold = known.map(({ judgement: { ratio } }) => line(null, ratio));
    expect(counts(['mimalloc', untold], MEMORY)).toBe('mimalloc: 0.800 to 1.20× in 3 comparisons.');
    expect(counts(['mimalloc', [line(null, null)]], CPU)).toBe('mimalloc is not compared.');
  });
});

describe('the newest runs of a place', () => {
  const read: string[] = [];
  const loaded = loading(history({ weeks: 1, lanes: 2 }), read);

  async function of(name: string) {
    const { store, index, lane } = await loaded();
    return measuredVariants(store, index, lane(name));
  }

  it('come from all profiles that have variants, whichever is chosen', async () => {
    for (const name of ['hosted-x64', 'hosted-x64:variants', 'hosted-x64:database']) {
      const found = await of(name);
      expect([...new Set(found.map(({ lane }) => lane))]).toEqual(['hosted-x64', 'hosted-x64:variants']);
    }
    expect([...new Set((await of('hosted-arm64')).map(({ lane }) => lane))]).toEqual(['hosted-arm64']);
  });
  it('cost the index, one file of all kinds of runs, and one for each that has variants', async () => {
    await of('hosted-x64');
    expect(read.toSorted()).toEqual([
      'data/hosted-x64/newest.json.gz',
      'data/hosted-x64/newest/variants.json.gz',
      'data/hosted-x64/newest/weekly.json.gz',
      'data/index.json',
    ]);
  });
  it('have a pair for each app, variant and kind of work', async () => {
    const measured = await of('hosted-x64:variants');
    const pairs = variantLines(measured, CPU, false);
    const apps = (name: string, scenario: string) =>
      pairs.filter(line => line.name === name && line.scenario === scenario).map(({ subject: { app } }) => app);
    expect(apps('mimalloc', 'routes-1')).toEqual(['axum-services', 'actix-web-services', 'ntex-services']);
    expect(apps('io_uring', 'json-64k')).toEqual(['ntex-uring-services']);
    expect(apps('tuned', 'plaintext')).toEqual(['actix-web']);
    // 3 apps, 7 variants, 3 kinds of work; io_uring; 2 set-ups in 13 kinds of work.
    expect(pairs).toHaveLength(3 * 7 * 3 + 3 + 2 * 13);
  });
  it('find what was planted', async () => {
    const pairs = variantLines(await of('hosted-x64'), CPU, false);
    const judged = (name: string) => pairs.filter(line => line.name === name && line.scenario === 'routes-1');
    for (const { judgement } of [...judged('sonic-rs'), ...judged('io_uring')]) expect(judgement.told).toBe('good');
    for (const { judgement } of judged('simd-json')) expect(judgement.told).toBe('bad');
    for (const { judgement } of judged('jemalloc')) expect(judgement.told).toBe('alike');
  });
  it('are compared with the control by choice', async () => {
    const measured = await of('hosted-x64');
    const sonic = (control: boolean) =>
      variantLines(measured, CPU, control).find(({ subject }) => subject.key === 'axum-services:sonic-rs');
    const [plain, controlled] = [sonic(false), sonic(true)];
    expect(plain?.a?.median).not.toBe(controlled?.a?.median);
    expect(plain?.b?.median).toBe(controlled?.b?.median);
  });
});
