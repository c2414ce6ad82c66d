// What people read: figures, dates, addresses, scales, files.
import { describe, expect, it } from 'vitest';
import { formatRoute, parseRoute, patched } from '../../src/app/route';
import { find } from '../../src/app/search';
import { DARK, LIGHT } from '../../src/charts/palette';
import { roundStep, scaleOf } from '../../src/charts/scale';
import type { Value } from '../../src/data/figures';
import { causesText, markText } from '../../src/ui/changes';
import { csv } from '../../src/ui/csv';
import { coverage, more, number, ownWork, percent, rankText, ratioTexts } from '../../src/ui/format';

type Known = Pick<Value, 'sessions' | 'days'>;

describe('figures', () => {
  it.each([
    [12.48, '12.5'],
    [0.0421, '0.0421'],
    [61230, '61,200'],
    [1.006, '1.01'],
    [999.6, '1,000'],
    [107000, '107,000'],
    [0, '0'],
    [null, '–'],
    [1e308, '1.00e+308'],
  ])('%o is %s', (value, text) => {
    expect(number(value)).toBe(text);
  });
  it('ranks are places or ranges of them', () => {
    expect([rankText({ best: 1, worst: 1 }), rankText({ best: 2, worst: 5 }), rankText(null)]).toEqual([
      '1',
      '2–5',
      '–',
    ]);
  });
  it('ratios have as many digits as their interval bears', () => {
    const texts = (ratio: number, ratio_low: number | null, ratio_high: number | null) =>
      Object.values(ratioTexts({ ratio, ratio_low, ratio_high }));
    expect(texts(1.0684, 1.05, 1.09)).toEqual(['1.07×', '1.05 to 1.09']);
    expect(texts(1.0684, 1.066, 1.07)).toEqual(['1.068×', '1.066 to 1.070']);
    expect(texts(1, 1, 1)).toEqual(['1.00×', '1.00 to 1.00']);
    expect(texts(1.0684, null, null)).toEqual(['1.07×', '']);
  });
  it('own work has its margin, which an end of the scale has not', () => {
    const texts = [27.4, -0.2, -3.6].map(own_work => ownWork({ own_work, own_work_margin: 8.1 }));
    expect(texts).toEqual(['27 ±9', '0 ±9', '−4 ±9']);
    expect(ownWork({ own_work: 100, own_work_margin: 0 })).toBe('100');
    expect(ownWork({ own_work: null, own_work_margin: null })).toBe('–');
  });
  it('a difference has the longer side of its interval', () => {
    expect(more({ middle: 1.12, low: 1.1, high: 1.15 })).toBe('+12 ±3\u00a0%');
    expect(more({ middle: 0.996, low: 0.99, high: 1 })).toBe('−0.4 ±0.6\u00a0%');
  });
  it('intervals cover what their sessions saw, and of several kinds of work the least', () => {
    const [none, hour, days] = [null, 1, 3].map(days => ({ sessions: days && 5, days })) as [Known, Known, Known];
    expect(coverage(none)).toBe('this session only');
    expect(coverage(hour)).toBe('another hour on this kind of machine (by 5 sessions of one day)');
    expect(coverage(days)).toBe('another day on this kind of machine (by 5 sessions of 3 days)');
    expect(coverage(days, none, hour)).toBe(`${coverage(hour)} in 2 of 3 kinds of work, elsewhere this session only`);
  });
  it('changes carry their sign', () => {
    expect([percent(0.123), percent(-0.0345), percent(0)]).toEqual(['+12\u00a0%', '−3.5\u00a0%', '±0.0\u00a0%']);
  });
});

describe('addresses', () => {
  it('survive a round trip', () => {
    const hash = '#/run/20261116T041700Z-3bc?lane=hosted-x64&app=axum%3Atuned';
    expect(formatRoute(parseRoute(hash))).toBe(hash);
  });
  it('fall back to the landing view', () => {
    for (const hash of ['', '#', '#/nowhere', '#/constructor', '#/<script>', '#/%E0%A4%A'])
      expect(parseRoute(hash).view).toBe('overview');
  });
  it('lose what is set to null', () => {
    expect(formatRoute(patched(parseRoute('#/trends?a=1&b=2'), { a: null, c: '3' }))).toBe('#/trends?b=2&c=3');
  });
});

describe('scales', () => {
  it('have round ticks within', () => {
    const scale = scaleOf([10, 14]);
    expect(scale.logarithmic).toBe(false);
    expect(scale.ticks.every(tick => scale.percent(tick) >= 0 && scale.percent(tick) <= 100)).toBe(true);
  });
  it('are logarithmic where figures lie far apart', () => {
    expect(scaleOf([1, 100]).logarithmic).toBe(true);
    expect(scaleOf([-1, 100]).logarithmic).toBe(false);
  });
  it.each([[[]], [[5]], [[0, 0]], [[Number.POSITIVE_INFINITY]], [[1e308, 1]]])('stand anything: %o', values => {
    for (const tick of scaleOf(values as number[]).ticks) expect(Number.isFinite(tick)).toBe(true);
  });
  it('step by 1, 2 or 5', () => {
    expect([0.03, 0.7, 1.1, 30].map(roundStep)).toEqual([0.05, 1, 2, 50]);
  });
});

describe('CSV', () => {
  it('quotes, and disarms formulas', () => {
    const text = csv([
      ['a', 'b'],
      ['=1+1', 1.5],
      ['x"y,z', null],
    ]);
    expect(text).toBe('a,b\r\n\'=1+1,1.5\r\n"x""y,z",\r\n');
  });
});

describe('the search', () => {
  const entry = (text: string, detail: string) => ({ kind: 'framework' as const, text, detail, address: '' });
  it('puts beginnings first', () => {
    expect(
      find([entry('Poem', 'poem'), entry('Actix Web', 'actix-web'), entry('xitca-web', 'xitca-web')], 'web').map(
        e => e.text,
      ),
    ).toEqual(['Actix Web', 'xitca-web']);
    expect(find([entry('hyper', 'hyper'), entry('A hyper thing', '')], 'HYPER')[0]?.text).toBe('hyper');
    expect(find([entry('hyper', 'hyper')], ' ')).toEqual([]);
  });
});

it('names causes', () => {
  expect(causesText([{ kind: 'dependency', name: 'tokio', before: '1.0', after: '1.1', run: 'x' }])).toBe(
    'tokio 1.0 → 1.1',
  );
  expect(causesText([])).toBe('no cause found');
});

describe('colours of lines', () => {
  const luminance = (hex: string) => {
    const [r = 0, g = 0, b = 0] = [1, 3, 5]
      .map(at => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
      .map(c => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a: string, b: string) => {
    const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (light + 0.05) / (dark + 0.05);
  };
  // WCAG 2.2, 1.4.11: graphics need 3:1.
  it.each(LIGHT)('%s is seen on white', colour => expect(contrast(colour, '#ffffff')).toBeGreaterThanOrEqual(3));
  it.each(DARK)('%s is seen on the dark surface', colour =>
    expect(contrast(colour, '#161d26')).toBeGreaterThanOrEqual(3),
  );
});

it('a new runner is named with what begins again', () => {
  const mark = {
    run: '',
    started_at: 0,
    kind: 'runner' as const,
    app: null,
    before: 'ubuntu-24.04',
    after: 'ubuntu-26.04',
  };
  expect(markText(mark)).toBe('New runner, on which every figure begins again: ubuntu-24.04 → ubuntu-26.04');
});
