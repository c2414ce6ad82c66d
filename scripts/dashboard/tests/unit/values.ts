// Figures of one subject, for tests that name only what they are about.
import type { Value } from '../../src/data/figures';

export const VALUE: Value = {
  median: 10,
  low: null,
  high: null,
  ratio: null,
  ratio_low: null,
  ratio_high: null,
  own_work: null,
  own_work_margin: null,
  sessions: null,
  days: null,
  rank: null,
  trusted: true,
  trials: 6,
  verdict: 'valid',
  reason: null,
};
