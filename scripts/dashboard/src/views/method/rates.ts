// How often the judgements are wrong, as `bench compare --self-test` and the example `history-rates` measured it: the very files
// that they wrote. They are built into the site.

import historyFile from '../../../../../bench-results/local/history-self-test.json';
import comparisonFile from '../../../../../bench-results/local/self-test.json';
import { METRICS } from '../../data/metrics';
import { h } from '../../ui/dom';
import { faint } from '../../ui/parts';
import { table } from '../../ui/table';

const comparisons = comparisonFile;
const histories = historyFile;
type Rates = typeof histories.machine_told;

const share = (value: number): string => `${+(value * 100).toPrecision(2)} %`;
const whole = (value: number): string => value.toLocaleString('en');
const fact = (name: string, text: string) => h('div', {}, h('dt', {}, name), h('dd', {}, text));

export function comparison(): HTMLElement {
  const { app, environment, pairs, live, drawn, power } = comparisons;
  const wrong = ({ named, comparisons }: { named: number; comparisons: number }) =>
    `${whole(named)} of ${whole(comparisons)} comparisons`;
  return h(
    'section',
    {},
    h('h3', {}, 'Comparison of two revisions (pull requests)'),
    h(
      'dl',
      { class: 'facts' },
      fact(
        'False alarms, live',
        `${wrong(live)}, of ${whole(live.builds)} pairs of builds: with 95 % at most ${share(live.at_most)} of such pairs`,
      ),
      fact('False alarms, drawn again', wrong(drawn)),
      fact('Drawn from', `${whole(pairs)} recorded pairs of ${app} against itself`),
      fact('On', `${environment.cpu_model}, ${environment.logical_cpus} cpus`),
    ),
    table(
      'Smallest change that a comparison finds nine times of ten',
      [
        { label: 'Scenario', cell: row => row.scenario },
        { label: 'Figure', cell: row => METRICS.get(row.metric)?.label ?? row.metric },
        {
          label: 'Found nine of ten',
          figure: true,
          cell: row => (row.smallest == null ? 'none that was tried' : share(row.smallest)),
        },
        { label: 'Judged there', cell: row => (row.judged ? 'yes' : 'no: the load generator is the limit') },
      ],
      power,
    ),
  );
}

const MACHINE_NAMED = 'Runs name their machine';
const NAMED: [string, Rates][] = [
  [MACHINE_NAMED, histories.machine_told],
  ['Runs do not name their machine', histories.machine_not_told],
  ['Heavy tails', histories.heavy_tails],
  ['Instructions per request', histories.counts],
];

/** Share of histories in which a change was found after at most so many runs that have it. */
const within = (afterRuns: number[], histories: number, runs: number): string =>
  share(afterRuns.slice(0, runs).reduce((sum, found) => sum + found, 0) / histories);

export function history(): HTMLElement {
  const { machine_told: first } = histories;
  return h(
    'section',
    {},
    h('h3', {}, 'History of a lane'),
    h(
      'p',
      {},
      'Simulated: a run a week, noise of 10 % that all apps share and, unless it says otherwise, 3 % of each app’s own, one week in seven on a machine that is 1.45 times as fast. Every history is judged again in every week.',
    ),
    h(
      'dl',
      { class: 'facts' },
      NAMED.map(([kind, { false_changes, app_weeks }]) =>
        fact(`False changes: ${kind}`, `${whole(false_changes)} in ${whole(app_weeks)} weeks of an app`),
      ),
    ),
    table(
      `Share of changes that are found: ${MACHINE_NAMED}, ${whole(first.histories)} histories for each size`,
      [
        { label: 'Change', cell: row => share(row.size) },
        ...[2, 3, 4].map(runs => ({
          label: `After ${runs} runs`,
          figure: true,
          cell: (row: Rates['found'][number]) => within(row.after_runs, first.histories, runs),
        })),
      ],
      first.found,
    ),
    faint(
      'Other noise, changes that several apps share and changes that do not last: scripts/harness/docs/history.md.',
    ),
  );
}
