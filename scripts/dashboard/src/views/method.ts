// Method: how to read a number, what the verdicts mean, and how often the judgements are wrong. The measured rates stand in one
// data file, `method-figures.json`, with null for what was not measured yet.
import type { Context, Shown } from '../app/context';
import { METRICS } from '../data/metrics';
import { VERDICTS } from '../data/verdicts';
import figures from '../method-figures.json';
import { h } from '../ui/dom';
import { table } from '../ui/table';
import { example } from './method/example';

const share = (value: number | null): string =>
  value === null ? 'not measured' : `${+(value * 100).toPrecision(2)} %`;
const plain = (value: number | string | null): string => (value === null ? 'not measured' : value.toLocaleString('en'));

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
      h('p', { class: 'faint' }, `Coverage of the 95\u00a0% intervals in simulation: ${coverage()}.`),
    ],
  };
}

const term = (name: string, text: string) => h('div', {}, h('dt', {}, name), h('dd', {}, text));

function comparison(): HTMLElement {
  const { false_alarm_rate, comparisons, machine, sensitivity } = figures.comparison;
  return h(
    'section',
    {},
    h('h3', {}, 'Comparison of two revisions (pull requests)'),
    h(
      'dl',
      { class: 'facts' },
      fact('False alarms', share(false_alarm_rate)),
      fact('Comparisons of the same with the same', plain(comparisons)),
      fact('On', plain(machine)),
    ),
    table(
      'Smallest change that a comparison finds nine times of ten',
      [
        { label: 'Scenario', cell: row => row.scenario },
        { label: 'Figure', cell: row => row.metric },
        { label: 'Found nine of ten', figure: true, cell: row => share(row.found_nine_of_ten) },
      ],
      sensitivity as { scenario: string; metric: string; found_nine_of_ten: number | null }[],
    ),
  );
}

function history(): HTMLElement {
  const { false_alarms_per_series_year, histories, sensitivity } = figures.history;
  return h(
    'section',
    {},
    h('h3', {}, 'History of a lane'),
    h(
      'dl',
      { class: 'facts' },
      fact('False alarms per series and year', plain(false_alarms_per_series_year)),
      fact('Histories without a change', plain(histories)),
    ),
    table(
      'Share of planted changes that the history finds',
      [
        { label: 'Change', cell: row => row.change },
        { label: 'Found', figure: true, cell: row => share(row.share_found) },
        { label: 'Runs until confirmed', figure: true, cell: row => plain(row.runs_until_confirmed) },
      ],
      sensitivity as { change: string; share_found: number | null; runs_until_confirmed: number | null }[],
    ),
  );
}

const fact = (name: string, text: string) => h('div', {}, h('dt', {}, name), h('dd', {}, text));

function coverage(): string {
  const { coverage_low: low, coverage_high: high } = figures.intervals;
  return low === null || high === null ? 'not measured' : `${share(low)} to ${share(high)}`;
}
