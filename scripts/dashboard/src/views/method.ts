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
          'A figure',
          'is the median over the rounds of a run. Each round is one trial with a fresh server process; all frameworks take turns in every round, in a shuffled order.',
        ),
        term(
          'The interval',
          'holds the true median with 95 % confidence, from order statistics: it assumes nothing about how trials spread. Five rounds are the fewest that have one.',
        ),
        term(
          '× reference',
          'is the figure divided by the one of a frozen hyper server in the same round, then the median. What the machine does to both cancels, so compare these between runs and machines, and not the absolute figures.',
        ),
        term(
          'A rank tier',
          'holds all whose intervals overlap with that of its best: within a tier, nobody is proven to be faster. Frameworks, engines and legacy frameworks are ranked each among themselves. What is not trusted has no tier.',
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
