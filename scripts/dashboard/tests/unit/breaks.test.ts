import { describe, expect, it } from 'vitest';
import { failures, found, keyOf, labelOf, sourceAddress } from '../../src/data/breaks';
import { Notices } from '../../src/data/parse/border';
import { breaks, probeChanges } from '../../src/data/parse/breaks';
import type { Breaks } from '../../src/data/types';
import { breaksFile, probeChangesFile } from '../synthetic/breaks';

const EVERYTHING = { level: null, protocol: null, own: false };

function read(change: (file: ReturnType<typeof breaksFile>) => void = () => {}): { parsed: Breaks; notices: string[] } {
  const file = JSON.parse(JSON.stringify(breaksFile()));
  change(file);
  const notices = new Notices();
  const parsed = breaks(file, notices);
  if (typeof parsed === 'string') throw new Error(parsed);
  return { parsed, notices: notices.list };
}

const ofApp = (parsed: Breaks, app: string, choice = EVERYTHING) =>
  failures(found(parsed, choice).filter(({ result }) => keyOf(result) === app));

describe('what breaks', () => {
  it('is read whole', () => {
    const { parsed, notices } = read();
    expect(notices).toEqual([]);
    expect(parsed.cases.get('host-missing')).toMatchObject({ level: 'must', smuggles: true });
    expect(parsed.servers.find(({ app }) => app === 'axum')).toMatchObject({ engine: { app: 'hyper' } });
    expect(parsed.results.find(({ case: id }) => id === 'idle-10000')?.figures.get('connections')).toBe(10_000);
  });
  it('counts failures by level, protocol and fault', () => {
    const { parsed } = read();
    expect(ofApp(parsed, 'ohkami')).toEqual({ must: 1, other: 1 });
    expect(ofApp(parsed, 'ohkami', { ...EVERYTHING, level: 'must' as never })).toEqual({ must: 1, other: 0 });
    expect(ofApp(parsed, 'ohkami', { ...EVERYTHING, protocol: 'http2' as never })).toEqual({ must: 0, other: 0 });
    expect(ofApp(parsed, 'axum')).toEqual({ must: 1, other: 0 });
    expect(ofApp(parsed, 'axum', { ...EVERYTHING, own: true })).toEqual({ must: 0, other: 0 });
    expect(ofApp(parsed, 'hyper', { ...EVERYTHING, own: true })).toEqual({ must: 1, other: 0 });
    // What flickers is no fault.
    expect(ofApp(parsed, 'roa')).toEqual({ must: 0, other: 0 });
  });
  it('leaves out results without a case, and outcomes that it does not know', () => {
    const { parsed, notices } = read(file => {
      const one = file.results[0] as (typeof file.results)[number];
      file.results.push({ ...one, case: 'unheard-of' }, { ...one, outcome: 'exploded' as never });
    });
    expect(parsed.results).toHaveLength(breaksFile().results.length);
    expect(notices).toEqual([
      'results of probes: an entry that is not understood was left out',
      'results of probes: those of unknown cases were left out',
    ]);
  });
  it('bounds what was sent and what came', () => {
    const { parsed } = read(file => {
      for (const one of file.cases) one.sent = 'x'.repeat(1_000_000);
    });
    expect([...parsed.cases.values()].every(({ sent }) => (sent?.length ?? 0) < 10_000)).toBe(true);
  });
  it('of a later version is refused', () => {
    expect(breaks({ ...breaksFile(), schema_version: 2 }, new Notices())).toMatch(/schema_version 2/);
  });
});

describe('what changed', () => {
  it('is read with its causes', () => {
    const notices = new Notices();
    const story = probeChanges(probeChangesFile(), notices);
    if (typeof story === 'string') throw new Error(story);
    expect(notices.list).toEqual([]);
    expect(story.runs.at(-1)?.failed.get('ohkami')).toBe(1);
    expect(story.changes[0]).toMatchObject({ app: 'ntex', fails: false, causes: [{ after: '3.12.3' }] });
  });
});

it('knows servers by the names that each file has for them', () => {
  const tuned = { app: 'axum', variant: 'tuned' };
  expect([keyOf(tuned), labelOf(tuned)]).toEqual(['axum:tuned', 'axum (tuned)']);
});

it('links to sections of RFCs and to nothing else', () => {
  expect(sourceAddress('RFC 9112, section 9.3.2')).toBe('https://www.rfc-editor.org/rfc/rfc9112#section-9.3.2');
  for (const other of ['signal(7)', 'RFC 9112', 'javascript:alert(1)', 'RFC 9112, section 3"onload='])
    expect(sourceAddress(other)).toBeNull();
});
