// Kinds of runs: a lane's weekly run, and runs of servers with a database, each with figures of its own.
import { expect, it } from 'vitest';
import { kindsOf } from '../../src/data/kinds';
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
