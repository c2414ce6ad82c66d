// When the next run is: by the schedule of the workflow.
import { expect, it } from 'vitest';
import { nextOf, schedule } from '../../src/data/schedule';

const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

it.each([
  ['2026-11-24T12:00:00Z', '2026-11-30T00:23:00.000Z'],
  ['2026-11-30T00:22:59Z', '2026-11-30T00:23:00.000Z'],
  ['2026-11-30T00:23:00Z', '2026-12-07T00:23:00.000Z'],
  ['2026-12-27T23:59:59Z', '2026-12-28T00:23:00.000Z'],
  ['2026-12-28T10:00:00Z', '2027-01-04T00:23:00.000Z'],
])('after %s it is on %s', (now, next) => {
  expect(iso(nextOf('23 0 * * 1', Date.parse(now)))).toBe(next);
});

it('a line that is not of a week has no next day', () => {
  for (const cron of ['', '23 0 * * *', '23 0 1 * 1', '* 0 * * 1', '23 0 * * 7', '23 0 * * 1-4']) {
    expect(nextOf(cron, 0)).toBeNull();
  }
});

it('every kind of run of the workflow has one', () => {
  const now = Date.parse('2026-11-24T12:00:00Z');
  expect(schedule.map(({ profile, next }) => [profile, iso(next(now))])).toEqual([
    ['weekly', '2026-11-30T00:23:00.000Z'],
    ['database', '2026-12-01T00:23:00.000Z'],
    ['drivers', '2026-11-25T00:23:00.000Z'],
    ['services', '2026-11-26T00:23:00.000Z'],
    ['variants', '2026-11-27T00:23:00.000Z'],
  ]);
});
