// Variants: which there are, what they are compared with, and what is said of them.
import { describe, expect, it } from 'vitest';
import type { Value } from '../../src/data/figures';
import { proof } from '../../src/data/judge';
import { CPU, METRICS, type Metric } from '../../src/data/metrics';
import type { RatioLine } from '../../src/data/ratios';
import type { Subject, Tier } from '../../src/data/types';
import { measuredVariants, variantLines, variantsOf } from '../../src/data/variants';
import { lineWords, sizes, toneOf } from '../../src/views/ratios/sentences';
import { history } from '../synthetic/generate';
import { loading } from './loaded';
import { VALUE } from './values';

const subject = (key: string, tier: Tier = 'maintained'): Subject => {
  const [app = '', variant = 'default'] = key.split(':');
  return { key, app, variant, name: app, tier, role: 'framework' } as Subject;
};

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

const value = (ratio: number, behind: string[] | null, half = 0.02, more: Partial<Value> = {}): Value => ({
  ...VALUE,
  median: ratio * 10,
  ratio,
  ratio_low: ratio - half,
  ratio_high: ratio + half,
  rank: behind === null ? null : { best: 1, worst: 9 },
  behind,
  ...more,
});

const BASE = 'axum';

describe('a variant against its default', () => {
  const ranked = (key: string, found: Value | null, tier: Tier = 'maintained') => ({
    subject: subject(key, tier),
    value: found,
  });
  const against = (base: Value | null, variant: Value | null, tier: Tier = 'maintained') =>
    proof(CPU, ranked(BASE, base), ranked(`${BASE}:mimalloc`, variant, tier));
  it('is distinguished by pairs, with the extremes of both intervals', () => {
    const found = against(value(1.1, [`${BASE}:mimalloc`]), value(0.99, []));
    expect(found).toMatchObject({ kind: 'apart', better: true, by: 'pairs' });
    if (found.kind === 'unjudged') return;
    expect(found.middle).toBeCloseTo(0.9);
    expect(found.low).toBeCloseTo(0.97 / 1.12);
    expect(found.high).toBeCloseTo(1.01 / 1.08);
  });
  it('is distinguished by pairs although the intervals overlap, for pairs are compared within the rounds', () => {
    const found = against(value(1, [], 0.05), value(1.05, [BASE], 0.05));
    expect(found).toMatchObject({ kind: 'apart', better: false, by: 'pairs' });
  });
  it('is distinguished by intervals where no pair is, or where the kinds differ', () => {
    const [base, variant] = [value(1.1, []), value(0.99, [])];
    expect(against(base, variant)).toMatchObject({ kind: 'apart', by: 'intervals', better: true });
    expect(against(base, variant, 'driver')).toMatchObject({ kind: 'apart', by: 'intervals' });
  });
  it.each([
    [value(1, []), value(1.03, [])],
    [value(1, null), value(1.039, null)],
  ])('is too close to call where neither says anything', (base, variant) => {
    expect(against(base, variant).kind).toBe('alike');
  });
  it.each([
    [value(1, null), null, 'one side'],
    [value(1, null), value(2, null, 0.1, { trusted: false }), 'not trusted'],
    [value(1, null), value(2, null, 0.1, { ratio_low: null }), 'too few trials'],
    [value(1, []), value(0.5, [BASE]), 'contradict'],
  ])('is not judged without what it takes', (base, variant, why) => {
    expect(against(base, variant)).toMatchObject({
      kind: 'unjudged',
      why: expect.stringContaining(why),
    });
  });
});

const pair = (scenario: string, ratio: number, kind: 'better' | 'worse' | 'alike' | 'unjudged'): RatioLine =>
  ({
    work: scenario,
    b: kind === 'unjudged' ? null : value(ratio, null),
    verdict: 'crashed',
    judgement:
      kind === 'unjudged'
        ? { kind, why: 'measured on one side only' }
        : kind === 'alike'
          ? { kind, middle: ratio, low: 0.9, high: 1.1 }
          : {
              kind: 'apart',
              better: kind === 'better',
              by: 'pairs',
              middle: ratio,
              low: ratio - 0.01,
              high: ratio + 0.01,
            },
  }) as unknown as RatioLine;

describe('what is said', () => {
  const cpu = toneOf(CPU);
  it('is cheaper or costlier of what a request costs, better or worse of all else', () => {
    expect(cpu).toEqual({ better: 'cheaper', worse: 'costlier' });
    expect(toneOf(METRICS.get('rss_peak_bytes') as Metric)).toEqual({ better: 'better', worse: 'worse' });
  });
  it('over many frameworks reaches from the least to the most, and claims no interval where there is none', () => {
    const of = (server: string, middle: number): RatioLine =>
      ({
        server,
        subject: subject(server),
        b: value(1, null),
        judgement: { kind: 'unjudged', why: 'too few shared rounds for an interval', middle },
      }) as unknown as RatioLine;
    const lines = [of('Poem', 1.3), of('Axum', 1.18), of('Tide', 1.25)];
    expect(sizes(['TLS', lines], CPU)).toBe(
      'TLS: +18\u00a0% (Axum) to +30\u00a0% (Poem) CPU per request, of 3 frameworks; Axum +18\u00a0%.',
    );
    expect(lineWords(of('Axum', 1.18), cpu)).toEqual({
      ratio: '1.18×',
      rest: ', too few shared rounds for an interval',
    });
  });
  it('of a line has the ratio, its interval, and what distinguishes it', () => {
    const { ratio, rest } = lineWords(pair('routes-1', 0.8, 'better'), cpu);
    expect(ratio + rest).toBe('0.800× (0.790 to 0.810), cheaper in this session, by pairs');
    expect(lineWords(pair('routes-1', 1, 'unjudged'), cpu)).toEqual({ ratio: '', rest: 'crashed' });
    expect(lineWords(pair('routes-1', 1, 'alike'), cpu).rest).toBe(' (0.900 to 1.10), too close to call');
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
    for (const { judgement } of [...judged('sonic-rs'), ...judged('io_uring')])
      expect(judgement).toMatchObject({ kind: 'apart', better: true });
    for (const { judgement } of judged('simd-json')) expect(judgement).toMatchObject({ kind: 'apart', better: false });
    for (const { judgement } of judged('jemalloc')) expect(judgement.kind).toBe('alike');
    // Its tier is another, so no pair can have distinguished it.
    expect(judged('io_uring')[0]?.judgement).toMatchObject({ by: 'intervals' });
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
