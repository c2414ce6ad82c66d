// One run: where it comes from, what it found, every trial, and the record to take away. Without an id: the list of runs.
import type { Context, Shown } from '../app/context';
import { kindsOf, labelOf } from '../data/kinds';
import { allRuns, findRun, monthOf } from '../data/runs';
import { schedule } from '../data/schedule';
import { isProblem, orNull } from '../data/store';
import type { Run } from '../data/types';
import { verdictLabel } from '../data/verdicts';
import { select } from '../ui/controls';
import { type Children, h, link } from '../ui/dom';
import { date, MISSING, machines, moment } from '../ui/format';
import { emptyView, eyebrow, faint, notice, titled } from '../ui/parts';
import { type Column, pagedTable, table } from '../ui/table';
import { provenanceOf } from './run/provenance';
import { trialsOf } from './run/trials';

export async function show(context: Context): Promise<Shown> {
  const id = context.route.subject;
  if (id === null) return list(context);
  const { lane, store } = context;
  const [found, record, runs] = await Promise.all([
    findRun(store, lane, id),
    store.record(lane.place, id),
    allRuns(store, lane),
  ]);
  if (typeof found === 'string') return emptyView('Run', found, 'No such run');
  const head = found.run;
  const read = orNull(record);
  const partial = lane.partial.some(run => run.id === id) || read?.harness.get('whole') === 'false';
  return {
    title: `Run ${id}`,
    body: [
      eyebrow('Run'),
      h('h1', {}, moment(head.started_at)),
      h('p', { class: 'provenance' }, h('code', {}, id), ` · ${machines([head])}`),
      partial
        ? notice(
            'A partial run: not all of its profile, and therefore in no series, no history and no ranking elsewhere.',
          )
        : null,
      verdicts(head),
      neighbours(context, head, runs),
      provenanceOf(head, read, partial),
      read !== null
        ? trialsOf(context, read)
        : notice(
            isProblem(record) && !record.missing
              ? record.problem
              : 'The record of this run is not published here; its summary is in Now and Trends.',
          ),
    ],
  };
}

function verdicts(run: Run): HTMLElement {
  return h(
    'ul',
    { class: 'tally' },
    [...run.verdicts].map(([verdict, count]) =>
      h('li', { class: verdict === 'valid' ? 'good' : 'faint' }, h('b', {}, count), ` ${verdictLabel(verdict)}`),
    ),
  );
}

/** `runs` are the lane's, newest first. */
function neighbours(context: Context, run: Run, runs: Run[]): HTMLElement {
  const at = runs.findIndex(({ id }) => id === run.id);
  const other = (run: Run | undefined, label: string) =>
    run === undefined ? null : link(context.to('run', run.id), `${label} (${date(run.started_at)})`);
  const [before, after] = at < 0 ? [] : [runs[at + 1], runs[at - 1]];
  return h(
    'p',
    { class: 'links' },
    link(context.to('now', null, { run: run.id }), 'Ranking of this run'),
    other(before, '← run before'),
    other(after, 'run after →'),
    before === undefined
      ? null
      : link(context.to('compare', null, { of: 'runs', a: before.id, b: run.id }), 'Compare with the run before'),
  );
}

/** What of this lane ran when, and what runs next; nothing of runs that people make on machines of their own. */
function whenOf(context: Context): HTMLElement | null {
  const { index, lane } = context;
  if (lane.place === 'local') return null;
  const kinds = kindsOf(index, lane);
  const rows = schedule.map(({ profile, next }) => {
    const series = index.lanes.get(profile === 'weekly' ? lane.place : `${lane.place}:${profile}`);
    const kind = kinds.find(({ lane: name }) => name === series?.name);
    const at = next(Date.now());
    return {
      label: kind?.label ?? labelOf(profile),
      runs: series?.runs ?? 0,
      newest: series?.newest ?? null,
      next: at === null ? MISSING : date(at),
    };
  });
  const columns: Column<(typeof rows)[number]>[] = [
    { label: 'Kind of run', cell: row => row.label },
    { label: 'Runs so far', figure: true, cell: row => row.runs },
    {
      label: 'Newest',
      cell: ({ newest }) => (newest === null ? MISSING : link(context.to('run', newest.id), date(newest.started_at))),
    },
    { label: 'Next', cell: row => row.next },
  ];
  return titled(
    'What runs when',
    faint('Each kind has a day of its own every week. A scheduled run can start late.'),
    table('What runs when', columns, rows),
  );
}

const columns = ({ to }: Context): Column<Run>[] => [
  { label: 'Started', cell: run => link(to('run', run.id), moment(run.started_at)) },
  { label: 'Profile', cell: run => run.profile ?? MISSING },
  { label: 'Machine', cell: run => run.machine.cpu_model ?? MISSING },
  { label: 'Compiler', cell: run => run.rustc?.split(' (')[0] ?? MISSING },
  { label: 'Rounds', figure: true, cell: run => run.rounds },
  { label: 'Warnings', figure: true, cell: run => run.warnings.length },
];

async function list(context: Context): Promise<Shown> {
  const { lane } = context;
  const partial =
    lane.partial.length === 0
      ? null
      : titled(
          'Partial runs',
          faint('Only part of their profile: each is shown by itself, and is in no series.'),
          table('Partial runs', columns(context), lane.partial),
        );
  const shown = (...body: Children[]): Shown => ({ title: 'Runs', body });
  const runs = await allRuns(context.store, lane);
  const months = [...new Set(runs.map(monthOf))];
  const month = months.find(each => each === context.parameter('month')) ?? months[0];
  if (month === undefined) return shown(h('h1', {}, 'Runs'), notice(`${lane.name} has no runs yet.`), partial);
  return shown(
    eyebrow(`${lane.runs.toLocaleString('en')} in all`),
    h('h1', {}, 'Runs'),
    whenOf(context),
    h(
      'div',
      { class: 'controls' },
      select('month', 'Month', months, month, value => context.go({ month: value, page: null })),
    ),
    pagedTable(
      context,
      'runs',
      `Runs of ${month}`,
      columns(context),
      runs.filter(run => monthOf(run) === month),
    ),
    partial,
  );
}
