// Method: how to read a number, what the verdicts mean, and how often the judgements are wrong.
import type { Context, Shown } from '../app/context';
import { METRICS } from '../data/metrics';
import { VERDICTS } from '../data/verdicts';
import { h } from '../ui/dom';
import { table } from '../ui/table';
import { example } from './method/example';
import { comparison, history } from './method/rates';

export async function show(_context: Context): Promise<Shown> {
  return {
    title: 'Method',
    body: [
      h('p', { class: 'eyebrow' }, 'Method'),
      h('h1', {}, 'How to read a number'),
      h(
        'p',
        { class: 'lead' },
        'Every figure here has an interval and a verdict, and a figure that was not measured properly is never ranked.',
      ),
      example(),
      h(
        'dl',
        { class: 'terms' },
        term(
          'A round',
          'restarts every server, checks its answers, and then drives all of them in turns, a slice of a few hundredths of a second each, in an order that is shuffled again for every turn. Whatever the machine does in that time, it does to all of them. Work that is too slow for slices has a load of its own in each round.',
        ),
        term(
          'A figure',
          'is the median over the rounds of a run. Where a round is missing, because the machine or the server spoilt it, it says so: “4 of 6 rounds”.',
        ),
        term(
          '× reference',
          'is the figure divided by that of a frozen hyper server in the same round. What the machine does to both cancels, so compare these between runs and machines, and not the absolute figures. Its interval holds the true ratio with 95 % confidence.',
        ),
        term(
          'A rank',
          'is the range of places that a run leaves open: 1 plus the number of others that are proven to be better, to the number of all less those that are proven to be worse. “1” is proven to be the best, “2–5” is somewhere from second to fifth. Frameworks, engines and legacy frameworks are ranked among themselves. In each of these groups all ranks of a kind of work and figure hold together with 95 %, not just each by itself. “Proven to be behind” is said only of those whose range does not begin with 1. What is not trusted has no rank.',
        ),
        term(
          'The order',
          'is that of the figure which is ranked. Two neighbours whose ranges overlap may well stand the other way round in the next run.',
        ),
        term(
          'A lane',
          'is where runs were made. Series of different lanes are never mixed, and a new kind of cpu begins a new stretch.',
        ),
        term(
          'A change',
          'is a step in a framework’s history relative to all others, so that a slower machine accuses nobody. It is suspected at first, and confirmed only by the next run. Its cause is what changed between the two runs: a dependency, the framework, the compiler, the machine; if nothing did, the environment.',
        ),
      ),
      h('h2', {}, 'Figures'),
      table(
        'Figures',
        [
          { label: 'Figure', cell: m => m.label },
          { label: 'Unit', cell: m => m.unit },
          { label: 'Better', cell: m => m.better },
          { label: 'How to read it', cell: m => m.reading },
        ],
        [...METRICS.values()],
      ),
      h('h2', {}, 'Verdicts'),
      table(
        'Verdicts',
        [
          { label: 'Verdict', cell: v => v.label },
          { label: 'What happened', cell: v => v.happened },
          { label: 'What still counts', cell: v => v.counts },
        ],
        [...VERDICTS.values()],
      ),
      h('h2', {}, 'How often it is wrong'),
      comparison(),
      history(),
    ],
  };
}

const term = (name: string, text: string) => h('div', {}, h('dt', {}, name), h('dd', {}, text));
