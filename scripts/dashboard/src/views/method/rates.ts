// How often the judgements are wrong, as `bench compare --self-test` and `bench history --self-test` measured it: the very files
// that they wrote.

import historyFile from '../../../../../bench-results/local/history-self-test.json';
import comparisonFile from '../../../../../bench-results/local/self-test.json';
import { comparisons, histories, type Rates } from '../../data/parse/rates';
import { h } from '../../ui/dom';
import { MISSING } from '../../ui/format';
import { table } from '../../ui/table';

const GAUGES: Record<string, string> = {
  instructions_per_request: 'instructions per request',
  server_cpu_us_per_request: 'CPU per request',
  goodput_rps: 'goodput',
};

const share = (value: number): string => `${+(value * 100).toPrecision(2)} %`;
const whole = (value: number): string => value.toLocaleString('en');
const fact = (name: string, text: string | null) =>
  text === null ? null : h('div', {}, h('dt', {}, name), h('dd', {}, text));

export function comparison(): HTMLElement {
  const { app, machine, pairs, live, drawn, power } = comparisons(comparisonFile);
  const wrong = ({ named, comparisons }: { named: number; comparisons: number }) =>
    `${whole(named)} of ${whole(comparisons)} comparisons`;
  return h(
    'section',
    {},
    h('h3', {}, 'Comparison of two revisions (pull requests)'),
    h(
      'dl',
      { class: 'facts' },
      fact('False alarms, live', live && `${wrong(live)}: with 95 % at most ${share(live.atMost)}`),
      fact(live === null ? 'False alarms' : 'False alarms, drawn again', drawn && wrong(drawn)),
      fact(
        'Drawn from',
        pairs === null ? null : `${whole(pairs)} recorded pairs of ${app ?? 'a server'} against itself`,
      ),
      fact('On', machine),
    ),
    table(
      'Smallest change that a comparison finds nine times of ten',
      [
        { label: 'Scenario', cell: row => row.scenario },
        { label: 'Figure', cell: row => GAUGES[row.gauge] ?? row.gauge },
        {
          label: 'Found nine of ten',
          figure: true,
          cell: row => (row.smallest === null ? 'none that was tried' : share(row.smallest)),
        },
        { label: 'Judged there', cell: row => (row.judged ? 'yes' : 'no: the load generator is the limit') },
      ],
      power,
    ),
  );
}

const KINDS: Record<string, string> = {
  machine_told: 'Runs name their machine',
  machine_not_told: 'Runs do not name their machine',
  counts: 'Instructions per request',
};
const kindOf = ({ kind }: Rates): string => KINDS[kind] ?? kind.replaceAll('_', ' ');

/** Share of histories in which a change was found after at most so many runs that have it. */
const within = (afterRuns: number[], histories: number, runs = afterRuns.length): string =>
  share(afterRuns.slice(0, runs).reduce((sum, found) => sum + found, 0) / histories);

const falseAYear = ({ falseChanges, appWeeks }: Rates): string =>
  appWeeks > 0 ? `${+((falseChanges / appWeeks) * 52).toPrecision(2)}` : MISSING;

export function history(): HTMLElement {
  const { named, grid, shared } = histories(historyFile);
  const first = named.find(({ kind }) => kind === 'machine_told') ?? named[0];
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
      named.map(rates =>
        fact(
          `False changes: ${kindOf(rates)}`,
          `${whole(rates.falseChanges)} in ${whole(rates.appWeeks)} weeks of an app`,
        ),
      ),
    ),
    first === undefined
      ? null
      : table(
          `Share of changes that are found: ${kindOf(first)}, ${whole(first.histories)} histories for each size`,
          [
            { label: 'Change', cell: row => share(row.size) },
            ...[2, 3, 4].map(runs => ({
              label: `After ${runs} runs`,
              figure: true,
              cell: (row: Rates['found'][number]) => within(row.afterRuns, first.histories, runs),
            })),
          ],
          first.found,
        ),
    grid.length === 0 ? null : gridTable(grid),
    shared.length === 0
      ? null
      : table(
          'A change that most apps share',
          [
            { label: 'Change', cell: row => share(row.size) },
            { label: 'Of apps', figure: true, cell: row => `${row.touched} of ${row.apps}` },
            { label: 'Found to be theirs', figure: true, cell: row => within(row.afterRuns, row.histories) },
            { label: 'Others praised', figure: true, cell: row => `${whole(row.bystandersBetter)} times` },
            {
              label: 'Blamed on them though it was the machine',
              figure: true,
              cell: row => `${whole(row.machineBlamed)} of ${whole(row.histories)}`,
            },
          ],
          shared,
        ),
  );
}

/** By how much an app wobbles by itself, and how alike one week is to the next. */
function gridTable(grid: Rates[]): HTMLElement {
  const sizes = grid[0]?.found.map(({ size }) => size) ?? [];
  const runs = grid[0]?.found[0]?.afterRuns.length ?? 0;
  return table(
    `Share of changes that are found within ${runs} runs, by how much an app’s figure wobbles by itself`,
    [
      { label: 'Own noise', cell: row => (row.ownNoise === null ? kindOf(row) : share(row.ownNoise)) },
      { label: 'Correlation with the week before', figure: true, cell: row => row.autocorrelation ?? MISSING },
      ...sizes.map((size, place) => ({
        label: `Change of ${share(size)}`,
        figure: true,
        cell: (row: Rates) => {
          const found = row.found[place];
          return found === undefined ? MISSING : within(found.afterRuns, row.histories);
        },
      })),
      { label: 'False changes a year and app', figure: true, cell: falseAYear },
    ],
    grid,
  );
}
