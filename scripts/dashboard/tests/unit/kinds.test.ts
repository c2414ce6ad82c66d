// Kinds of runs: a lane's weekly run, and runs of servers with a database, each with figures of its own.
import { expect, it } from 'vitest';
import { kindsOf } from '../../src/data/kinds';
import { rowsOf, snapshot } from '../../src/data/snapshot';
import { history } from '../synthetic/generate';
import { loading } from './loaded';

const loaded = loading(history({ weeks: 1, lanes: 2 }));

it('a lane has those that were made there, in words', async () => {
  const { index, lane } = await loaded();
  const all = [
    { lane: 'hosted-x64', profile: 'weekly', label: 'Without a database' },
    { lane: 'hosted-x64:database', profile: 'database', label: 'With a database' },
    { lane: 'hosted-x64:drivers', profile: 'drivers', label: 'Drivers' },
    { lane: 'hosted-x64:services', profile: 'services', label: 'Services' },
    { lane: 'hosted-x64:variants', profile: 'variants', label: 'Variants' },
  ];
  for (const { lane: name } of all) expect(kindsOf(index, lane(name))).toEqual(all);
  expect(kindsOf(index, lane('hosted-arm64'))).toEqual([
    { lane: 'hosted-arm64', profile: 'weekly', label: 'Without a database' },
  ]);
});

it.each([
  ['hosted-x64:database', '2026-11-10', ['engine', 'maintained', 'own_stack']],
  ['hosted-x64:drivers', '2026-11-11', ['driver']],
])('%s shows db of its own newest run', async (name, day, tiers) => {
  const { store, lane } = await loaded();
  const state = await snapshot(store, lane(name), { scenario: 'db', run: null });
  if (typeof state === 'string') throw new Error(state);
  expect(state.scenario.id).toBe('db');
  expect(new Date(state.run.started_at).toISOString().slice(0, 10)).toBe(day);
  const frameworks = rowsOf(state, 'server_cpu_us_per_request').filter(({ subject }) => subject.role === 'framework');
  expect([...new Set(frameworks.map(({ subject }) => subject.tier))].sort()).toEqual(tiers);
  expect(frameworks.some(({ cell }) => cell.value?.trusted && cell.value.rank !== null)).toBe(true);
});
