// How often the judgements are wrong, as `bench compare --self-test` and the example `history-rates` measured it: the very files
// that they wrote. They are built into the site.

import historyFile from '../../../../../bench-results/local/history-self-test.json';
import comparisonFile from '../../../../../bench-results/local/self-test.json';
import { METRICS } from '../../data/metrics';
import { h } from '../../ui/dom';
import { MISSING } from '../../ui/format';
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
const within = (afterRuns: number[], histories: number, runs = afterRuns.length): string =>
  share(afterRuns.slice(0, runs).reduce((sum, found) => sum + found, 0) / histories);

const falseAYear = ({ false_changes, app_weeks }: Rates): string =>
  app_weeks > 0 ? `${+((false_changes / app_weeks) * 52).toPrecision(2)}` : MISSING;

export function history(): HTMLElement {
  const { machine_told: first, grid, shared, kept } = histories;
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
    gridTable(grid),
    table(
      'A change that some apps share',
      [
        { label: 'Change', cell: row => share(row.size) },
        { label: 'Reference', cell: row => (row.reference ? 'measured' : 'none') },
        { label: 'Of apps', figure: true, cell: row => `${row.touched} of ${row.apps}` },
        { label: 'Found to be theirs', figure: true, cell: row => within(row.after_runs, row.histories) },
        { label: 'Others wrongly called better', figure: true, cell: row => `${whole(row.bystanders_better)} times` },
        {
          label: 'Machine’s fault called theirs',
          figure: true,
          cell: row => `${whole(row.machine_blamed)} of ${whole(row.histories)}`,
        },
      ],
      shared,
    ),
    table(
      'Changes that do not last',
      [
        { label: 'What happens', cell: row => row.name },
        { label: 'Change', figure: true, cell: row => share(row.size) },
        { label: 'Own noise', figure: true, cell: row => share(row.own_noise) },
        { label: 'Weeks later', figure: true, cell: row => row.weeks },
        { label: 'Known', figure: true, cell: row => share(row.kept / row.histories) },
      ],
      kept,
    ),
  );
}

/** By how much an app wobbles by itself, and how alike one week is to the next. */
function gridTable(grid: Rates[]): HTMLElement {
  const sizes = grid[0]?.found.map(({ size }) => size) ?? [];
  const runs = grid[0]?.found[0]?.after_runs.length ?? 0;
  return table(
    `Share of changes that are found within ${runs} runs, by how much an app’s figure wobbles by itself`,
    [
      { label: 'Own noise', cell: row => share(row.own_noise) },
      { label: 'Correlation with the week before', figure: true, cell: row => row.autocorrelation },
      ...sizes.map((size, place) => ({
        label: `Change of ${share(size)}`,
        figure: true,
        cell: (row: Rates) => {
          const found = row.found[place];
          return found === undefined ? MISSING : within(found.after_runs, row.histories);
        },
      })),
      { label: 'False changes a year and app', figure: true, cell: falseAYear },
    ],
    grid,
  );
}
