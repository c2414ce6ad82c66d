// The files of the self-tests, as older and later harnesses write them.
import { describe, expect, it } from 'vitest';
import { comparisons, histories } from '../../src/data/parse/rates';

const rates = (more: object = {}) => ({
  apps: 17,
  histories: 400,
  found: [{ size: 0.1, after_runs: [4, 172, 115, 50] }],
  app_weeks: 30_056,
  false_changes: 26,
  ...more,
});

describe('rates of the history', () => {
  it('are read by kind', () => {
    const found = histories({ machine_told: rates(), machine_not_told: rates({ false_changes: 22 }) });
    expect(found.named.map(({ kind, falseChanges }) => [kind, falseChanges])).toEqual([
      ['machine_told', 26],
      ['machine_not_told', 22],
    ]);
    expect(found.named[0]?.found[0]?.afterRuns).toEqual([4, 172, 115, 50]);
    expect(found.grid).toEqual([]);
  });
  it('are read as a grid, with changes that most share', () => {
    const shared = {
      apps: 17,
      touched: 15,
      size: 0.1,
      histories: 100,
      after_runs: [1],
      bystanders_better: 0,
      machine_blamed: 2,
    };
    const found = histories({
      grid: [rates({ own_noise: 0.02, autocorrelation: 0 }), rates({ own_noise: 0.05, autocorrelation: 0.5 })],
      shared,
    });
    expect(found.grid.map(({ ownNoise, autocorrelation }) => [ownNoise, autocorrelation])).toEqual([
      [0.02, 0],
      [0.05, 0.5],
    ]);
    expect(found.shared).toMatchObject([{ touched: 15, machineBlamed: 2 }]);
  });
  it.each([null, [], 'text', { grid: [null, 7, {}], told: { apps: 'many' }, none: rates({ histories: 0 }) }])(
    'are none in %o',
    value => {
      expect(histories(value)).toEqual({ named: [], grid: [], shared: [] });
    },
  );
});

describe('rates of comparisons', () => {
  it('are those of an older harness', () => {
    expect(comparisons({ pairs: 260, comparisons: 1000, false_alarms: 1 })).toMatchObject({
      live: null,
      drawn: { comparisons: 1000, named: 1 },
    });
  });
  it('are live and drawn, with the bound of the live ones', () => {
    const live = { comparisons: 20, named: 0, at_most: 0.139 };
    expect(comparisons({ live, drawn: { comparisons: 1000, named: 3 } })).toMatchObject({
      live: { comparisons: 20, named: 0, atMost: 0.139 },
      drawn: { named: 3 },
    });
  });
  it('have no smallest change where none was found', () => {
    const series = { scenario: 'plaintext', gauge: 'goodput_rps', judged: false, smallest: null };
    expect(comparisons({ power: [series, null] }).power).toEqual([series]);
  });
});
