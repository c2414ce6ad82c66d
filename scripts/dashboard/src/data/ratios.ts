// One server in two forms, in one run: in a variant and as it comes, over another protocol, with more workers. Each line is the second
// form's figure ÷ the first's.
import type { Found } from './figures';
import type { Judgement } from './judge';
import type { Run, Subject } from './types';

/** A figure of one form, and how it stands in its run. */
export type Form = Pick<Found, 'median' | 'ratio' | 'ratio_low' | 'ratio_high' | 'rank' | 'trusted' | 'missed'>;

export interface RatioLine {
  /** Of `views/ratios/groups.ts`. */
  question: string;
  /** What is compared with what: `mimalloc` and `default`, `HTTP/2` and `HTTP/1.1`, `8 workers` and `1 worker`. */
  name: string;
  against: string;
  /** Whose: the framework by its name, and the subject in the second form. */
  server: string;
  subject: Subject;
  /** In what kind of work: its id and title, and the scenario that has the second form. */
  work: string;
  title: string;
  scenario: string;
  /** The run that has both, and its series. */
  lane: string;
  run: Run;
  a: Form | null;
  b: Form | null;
  /** Of the second form. */
  verdict: string | null;
  judgement: Judgement;
}

/** Lists by what is compared with what, in the order in which that is met. */
export const byName = (lines: RatioLine[]): [string, RatioLine[]][] =>
  [...new Set(lines.map(({ name }) => name))].map(name => [name, lines.filter(line => line.name === name)]);
