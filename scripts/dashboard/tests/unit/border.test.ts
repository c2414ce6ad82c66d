import { describe, expect, it } from 'vitest';
import * as border from '../../src/data/parse/border';

describe('figures', () => {
  it.each(['NaN', '12', null, undefined, {}, [], Number.NaN, Number.POSITIVE_INFINITY, true])('%o is none', value => {
    expect(border.finite(value)).toBeNull();
  });
  it('keeps what can be drawn', () => {
    expect(border.finite(-1.5)).toBe(-1.5);
    expect(border.atLeastZero(-1.5)).toBeNull();
  });
});

describe('names that become addresses', () => {
  it.each(['axum', 'hosted-x64', '20261116T041700Z-3bc', 'hello-r1000', '2026-11'])('%s is one', value => {
    expect(border.name(value)).toBe(value);
  });
  it.each(['../etc', 'a/b', '', '.hidden', 'a..b', '<b>', 'a b', 'x'.repeat(200), 7, null])('%o is none', value => {
    expect(border.name(value)).toBeNull();
  });
  it('takes a variant once', () => {
    expect(border.subjectKey('axum:tuned')).toBe('axum:tuned');
    expect(border.subjectKey('axum:tuned:more')).toBeNull();
  });
});

describe('links', () => {
  it.each(['javascript:alert(1)', ' javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', '//x', 'x', null])(
    '%o is not linked to',
    value => {
      expect(border.link(value)).toBeNull();
    },
  );
  it('links to the web', () => {
    expect(border.link('https://github.com/tokio-rs/axum')).toBe('https://github.com/tokio-rs/axum');
  });
});

describe('times', () => {
  it('reads RFC 3339 and nothing else', () => {
    expect(border.time('2026-11-16T04:17:00Z')).toBe(Date.UTC(2026, 10, 16, 4, 17));
    for (const none of ['yesterday', '2026-11-16', '2026-99-99T00:00:00Z', 12, null])
      expect(border.time(none)).toBeNull();
  });
});

describe('lists and matrices', () => {
  it('keep their places', () => {
    expect(border.row([1, 'NaN', 3], 4, border.finite)).toEqual([1, null, 3, null]);
    expect(border.matrix('none', 2, 1, border.finite)).toEqual([[null], [null]]);
  });
  it('say what they leave out', () => {
    const notices = new border.Notices();
    expect(border.list(border.text, 'words')(['a', 1, 'b'], notices)).toEqual(['a', 'b']);
    expect(notices.list).toEqual(['words: an entry that is not understood was left out']);
  });
});

describe('objects', () => {
  interface Published {
    name: string;
    size: number;
    words?: string[] | null;
  }
  const read = border.object<Published>()({ name: border.text, size: border.finite, words: border.texts }, 'name');
  it('are read by their fields, and others are ignored', () => {
    const source = { name: 'a', size: 'NaN', words: ['b', 1], more: 1 };
    expect(read(source, new border.Notices())).toEqual({ name: 'a', size: null, words: ['b'] });
  });
  it.each([{ size: 1 }, { name: 1 }, [], null, 'text'])('%o is none without what is needed', value => {
    expect(read(value, new border.Notices())).toBeNull();
  });
  it('have only keys and kinds that are published: this file does not compile otherwise', () => {
    // @ts-expect-error No such key is published.
    border.object<Published>()({ nmae: border.text });
    // @ts-expect-error It is a number.
    border.object<Published>()({ size: border.text });
    // @ts-expect-error No such key is published.
    border.entries<Published>({}).get('nmae');
  });
});

describe('versions', () => {
  const refusal = (version: unknown) => border.refusal(new Map([['schema_version', version]]), 2, 'it');
  it('accepts the newest and older ones', () => {
    expect([refusal(1), refusal(2)]).toEqual([null, null]);
  });
  it('refuses a newer one by name, and none', () => {
    expect(refusal(3)).toMatch(/schema_version 3.*up to 2/);
    expect(refusal('2')).toMatch(/does not say/);
    expect(border.refusal(new Map(), 2, 'it')).toMatch(/not the object/);
  });
});

it('takes a key like __proto__ for a key', () => {
  const found = border.entries(JSON.parse('{"__proto__": {"polluted": 1}, "a": 2}'));
  expect([...found.keys()]).toEqual(['__proto__', 'a']);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});
