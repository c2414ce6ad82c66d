// How often the judgements are wrong, as `bench compare --self-test` and `bench history --self-test` measured it: the very files
// that they wrote.

import histories from '../../../../../bench-results/local/history-self-test.json';
import comparisons from '../../../../../bench-results/local/self-test.json';
import { h } from '../../ui/dom';
import { table } from '../../ui/table';

const GAUGES: Record<string, string> = {
  instructions_per_request: 'instructions per request',
  server_cpu_us_per_request: 'CPU per request',
  goodput_rps: 'goodput',
};

const share = (value: number): string => `${+(value * 100).toPrecision(2)} %`;
const whole = (value: number): string => value.toLocaleString('en');
const fact = (name: string, text: string) => h('div', {}, h('dt', {}, name), h('dd', {}, text));

export function comparison(): HTMLElement {
  const { environment, power, live, drawn } = comparisons;
  return h(
    'section',
    {},
    h('h3', {}, 'Comparison of two revisions (pull requests)'),
    h(
      'dl',
      { class: 'facts' },
      fact(
        'False alarms',
        `${whole(live.named)} of ${whole(live.comparisons)} live comparisons of ${comparisons.app} with itself: with 95 % confidence below ${Math.ceil(live.at_most * 100)} %`,
      ),
      fact('When their pairs are drawn again', `${whole(drawn.named)} of ${whole(drawn.comparisons)} comparisons`),
      fact('On', `${environment.cpu_model}, ${environment.logical_cpus} cpus`),
    ),
    table(
      'Smallest change that a comparison finds nine times of ten',
      [
        { label: 'Scenario', cell: row => row.scenario },
        { label: 'Figure', cell: row => GAUGES[row.gauge] ?? row.gauge },
        { label: 'Found nine of ten', figure: true, cell: row => share(row.smallest) },
        { label: 'Judged there', cell: row => (row.judged ? 'yes' : 'no: the load generator is the limit') },
      ],
      power,
    ),
  );
}

type Rates = typeof histories.machine_told;

export function history(): HTMLElement {
  const { machine_told: told, machine_not_told: untold } = histories;
  const wrong = (rates: Rates) => `${whole(rates.false_changes)} in ${whole(rates.app_weeks)} weeks of an app`;
  const within = (rates: Rates, runs: number) => (row: Rates['found'][number]) =>
    share(row.after_runs.slice(0, runs).reduce((sum, found) => sum + found, 0) / rates.histories);
  return h(
    'section',
    {},
    h('h3', {}, 'History of a lane'),
    h(
      'p',
      {},
      `Simulated: ${told.apps} apps, a run a week, noise of 10 % that all share and 3 % of each app’s own, one week in seven on a machine that is 1.45 times as fast. ${whole(told.histories)} histories for each size, judged anew every week.`,
    ),
    h(
      'dl',
      { class: 'facts' },
      fact('False changes where runs name their machine', wrong(told)),
      fact('Where they do not', wrong(untold)),
    ),
    table(
      'Share of changes that are found',
      [
        { label: 'Change', cell: row => share(row.size) },
        { label: 'After 2 runs', figure: true, cell: within(told, 2) },
        { label: 'After 3', figure: true, cell: within(told, 3) },
        { label: 'After 4', figure: true, cell: within(told, 4) },
      ],
      told.found,
    ),
  );
}
