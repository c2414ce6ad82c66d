import { describe, expect, it } from 'vitest';
import { failedRules, failures, found, sourceAddress } from '../../src/data/breaks';
import { keyOf } from '../../src/data/names';
import { breaks, probeChanges } from '../../src/data/read';
import type { Store } from '../../src/data/store';
import type { Breaks } from '../../src/data/types';
import { breaksFile, probeChangesFile } from '../synthetic/breaks';

const EVERYTHING = { level: null, protocol: null, own: false };

const parsed = breaks(breaksFile());

const ofApp = (parsed: Breaks, app: string, choice = EVERYTHING) =>
  failures(found(parsed, choice).filter(({ result }) => keyOf(result) === app));

describe('what breaks', () => {
  it('is read whole', () => {
    expect(parsed.cases.get('host-missing')).toMatchObject({ level: 'must', smuggles: true });
    expect(parsed.servers.find(({ app }) => app === 'axum')).toMatchObject({ engine: { app: 'hyper' } });
    expect(parsed.results.find(({ case: id }) => id === 'idle-10000')?.figures.get('connections')).toBe(10_000);
  });
  it('counts failures by level, protocol and fault', () => {
    expect(ofApp(parsed, 'ohkami')).toEqual({ must: 1, other: 1 });
    expect(ofApp(parsed, 'ohkami', { ...EVERYTHING, level: 'must' as never })).toEqual({ must: 1, other: 0 });
    expect(ofApp(parsed, 'ohkami', { ...EVERYTHING, protocol: 'http2' as never })).toEqual({ must: 0, other: 0 });
    expect(ofApp(parsed, 'axum')).toEqual({ must: 1, other: 0 });
    expect(ofApp(parsed, 'axum', { ...EVERYTHING, own: true })).toEqual({ must: 0, other: 0 });
    expect(ofApp(parsed, 'hyper', { ...EVERYTHING, own: true })).toEqual({ must: 1, other: 0 });
    // What flickers is no fault.
    expect(ofApp(parsed, 'roa')).toEqual({ must: 0, other: 0 });
  });
});

describe('what changed', () => {
  it('is read with its causes', () => {
    const story = probeChanges(probeChangesFile());
    expect(story.runs.at(-1)?.failed.get('ohkami')).toBe(1);
    expect(story.changes[0]).toMatchObject({ app: 'ntex', fails: false, causes: [{ after: '3.12.3' }] });
  });
});

it('knows servers by the names that each file has for them, and frameworks by any of their servers', async () => {
  const story = { runs: [{ failed: new Map(Object.entries({ ohkami: 51, 'axum (tuned)': 3 })) }] };
  const rules = await failedRules({ probeChanges: async () => story } as unknown as Store);
  const keys = ['ohkami', 'ohkami-postgres', 'ohkami-services', keyOf({ app: 'axum', variant: 'tuned' }), 'axum'];
  expect(keys.map(rules)).toEqual([51, 51, 51, 3, undefined]);
});

it('links to sections of RFCs and to nothing else', () => {
  expect(sourceAddress('RFC 9112, section 9.3.2')).toBe('https://www.rfc-editor.org/rfc/rfc9112#section-9.3.2');
  for (const other of ['signal(7)', 'RFC 9112', 'javascript:alert(1)', 'RFC 9112, section 3"onload='])
    expect(sourceAddress(other)).toBeNull();
});
