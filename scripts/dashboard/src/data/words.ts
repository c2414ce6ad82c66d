// The words of the harness, which it writes: the site has none of its own for what stands in a record.
import file from '../../../harness/docs/published/words.json';
import type { Group, Metric, Protocol, Tier, Verdict } from './generated/published';

interface Named<Id> {
  id: Id;
  label: string;
}

interface MetricWords extends Named<Metric> {
  unit: string;
  /** Where a trial has it, nested by its path. */
  field: string;
  /** Divides the figure of a record to get that unit. */
  divisor: number;
  better: 'less' | 'more';
  /** How to read it, in a sentence or two. */
  reading: string;
}

export interface VerdictWords extends Named<Verdict> {
  happened: string;
  /** Which figures count all the same. */
  counts: string;
}

export const words = file as {
  metrics: MetricWords[];
  verdicts: VerdictWords[];
  protocols: Named<Protocol>[];
  tiers: Named<Tier>[];
  groups: Named<Group>[];
  probe_figures: Named<string>[];
};
