// Compare: two frameworks in one run, or one run with another, with a judgement that says how it was made.
import type { Context, Shown } from '../app/context';
import { CPU, METRICS, type Metric } from '../data/metrics';
import { allRuns, findRun } from '../data/runs';
import { fullTitle } from '../data/scenarios';
import type { Run, Scenario, Series } from '../data/types';
import { segmented, select } from '../ui/controls';
import { h } from '../ui/dom';
import { date, day } from '../ui/format';
import { kindsOfRun } from '../ui/kinds';
import { subjectName } from '../ui/names';
import { notice } from '../ui/notice';
import { pageNumber } from '../ui/table';
import { result } from './compare/result';
import { acrossRuns, acrossSubjects, type Pair, type Side } from './compare/sides';
import { standings } from './compare/standings';

/** So many runs are offered; any other can be named in the address. */
const OFFERED = 60;

export async function show(context: Context): Promise<Shown> {
  const runs = (await allRuns(context.store, context.lane)).slice(0, OFFERED);
  const newest = runs[0];
  if (newest === undefined)
    return {
      title: 'Compare',
      body: [h('h1', {}, 'Compare'), notice(`${context.lane.name} has no runs that could be read.`)],
    };
  const ofRuns =
    context.parameter('of') === 'runs' || (context.parameter('of') === null && context.parameter('a') !== null);
  const metric = METRICS.get(context.parameter('metric') ?? '') ?? CPU;
  const body = ofRuns ? await compareRuns(context, runs, metric) : await compareSubjects(context, runs, metric);
  return {
    title: 'Compare',
    body: [
      h('p', { class: 'eyebrow' }, 'Compare'),
      h('h1', {}, ofRuns ? 'One run with another' : 'Two frameworks side by side'),
      ...kindsOfRun(context, 'compare'),
      h(
        'div',
        { class: 'controls' },
        segmented(
          'of',
          'What',
          [
            { value: 'frameworks', label: 'two frameworks' },
            { value: 'runs', label: 'two runs' },
          ],
          ofRuns ? 'runs' : 'frameworks',
          value => context.go({ of: value, a: null, b: null, page: null }),
        ),
      ),
      ...body,
      method(ofRuns),
    ],
  };
}

const method = (ofRuns: boolean) =>
  h(
    'aside',
    { class: 'how' },
    h('h2', {}, 'How this is judged'),
    h(
      'p',
      {},
      ofRuns
        ? 'Each figure is divided by the reference server’s in its own run, so that most of what the machine does cancels; memory and start-up, which have no such ratio, stand for themselves. Two figures lie apart where their 95 % intervals do not overlap; the size is given with the extremes that both intervals allow. This is a look and no proof: each interval holds by itself, and a page of many pairs has some that lie apart by chance. Whether a framework has moved is judged over all runs, and stands among the confirmed changes in Trends.'
        : 'By the pairs that the run tells apart, and by nothing else. All pairs of a group (frameworks, engines, legacy), kind of work and figure hold together with 95 % for this session: this machine, these programs and this hour; another session may reverse them. The lines are the 95 % intervals of each ratio by itself: they may overlap although the two are told apart, because pairs are compared within each round, and they may lie apart although the two are not.',
    ),
  );

/** Figures that one of these files has; what is looked at stays even if none has it. */
const offered = (series: Iterable<Series>, metric: Metric): Metric[] => {
  const found = new Set([...series].flatMap(({ metrics }) => [...metrics.keys()]));
  return [...METRICS.values()].filter(each => each === metric || found.has(each.id));
};

function common(context: Context, scenarios: Map<string, Scenario>, metric: Metric, series: Iterable<Series>) {
  const asked = scenarios.get(context.parameter('scenario') ?? '');
  const chosen = asked === undefined ? [...scenarios.values()] : [asked];
  const controls = [
    select(
      'scenario',
      'Kind of work',
      [
        { value: '', label: 'All' },
        ...[...scenarios.values()].map(each => ({ value: each.id, label: fullTitle(each, scenarios) })),
      ],
      asked?.id ?? '',
      value => context.go({ scenario: value || null, page: null }),
    ),
    select(
      'metric',
      'Figure',
      offered(series, metric).map(({ id, label }) => ({ value: id, label })),
      metric.id,
      value => context.go({ metric: value, page: null }),
    ),
  ];
  return { chosen, controls };
}

const paging = (context: Context) => ({
  page: pageNumber(context.parameter('page')),
  turn: (page: number) => context.go({ page: String(page) }),
});

/** Each run once, newest first. */
const runOptions = (runs: Run[]) =>
  [...new Map(runs.map(run => [run.id, run])).values()]
    .sort((x, y) => y.started_at - x.started_at)
    .map(run => ({ value: run.id, label: `${date(run.started_at)} · ${run.id}` }));

/** The run of this id, or the fallback where none is named; a sentence where there is no such run. */
const find = async (context: Context, id: string | null, fallback: Run | undefined) =>
  id === null && fallback === undefined
    ? 'There is only one run so far.'
    : findRun(context.store, context.lane, id ?? fallback?.id ?? null);

async function compareSubjects(context: Context, runs: Run[], metric: Metric): Promise<Node[]> {
  // Runs ask different servers: one with PostgreSQL compares drivers, the next frameworks without.
  const found = await find(context, context.parameter('run'), runs[0]);
  if (typeof found === 'string') return [notice(found)];
  const { period } = found;
  const subjects = [...period.subjects.values()].sort((a, b) => subjectName(a).localeCompare(subjectName(b)));
  const frameworks = subjects.filter(({ role }) => role === 'framework');
  const pick = (name: string, fallback: string | undefined) =>
    period.subjects.get(context.parameter(name) ?? '')?.key ?? fallback ?? '';
  const a = pick('left', frameworks[0]?.key);
  const b = pick('right', frameworks.find(({ key }) => key !== a)?.key);
  const side: Side = found;
  const { chosen, controls } = common(context, period.scenarios, metric, side.series.values());
  // The newest run need not have asked for every scenario.
  const pairs = acrossSubjects(side, a, b, chosen, metric);
  const nameOf = (key: string) => {
    const subject = period.subjects.get(key);
    return subject === undefined ? key : subjectName(subject);
  };
  const options = subjects.map(subject => ({ value: subject.key, label: subjectName(subject) }));
  return [
    h(
      'div',
      { class: 'controls control-line' },
      select('left', 'Framework', options, a, value => context.go({ left: value, right: b })),
      select('right', 'against', options, b, value => context.go({ right: value, left: a })),
      ...controls,
      select('run', 'Run', runOptions([...runs, found.run]), found.run.id, value =>
        context.go({ run: value, left: null, right: null, scenario: null, page: null }),
      ),
    ),
    h(
      'p',
      { class: 'provenance' },
      h('a', { href: context.to('run', found.run.id) }, `Run of ${day(found.run.started_at)}`),
    ),
    ...standings(pairs, {
      metric,
      labels: [nameOf(a), nameOf(b)],
      lineOf: ({ scenario }) => fullTitle(scenario, period.scenarios),
      ...paging(context),
    }),
  ];
}

async function compareRuns(context: Context, runs: Run[], metric: Metric): Promise<Node[]> {
  const [a, b] = await Promise.all([
    find(context, context.parameter('a'), runs[1]),
    find(context, context.parameter('b'), runs[0]),
  ]);
  if (typeof a === 'string' || typeof b === 'string')
    return [a, b].flatMap(each => (typeof each === 'string' ? [notice(each)] : []));
  const [left, right]: [Side, Side] = [a, b];
  const { chosen, controls } = common(context, b.period.scenarios, metric, [
    ...left.series.values(),
    ...right.series.values(),
  ]);
  const pairs: Pair[] = acrossRuns(left, right, chosen, metric);
  const options = runOptions([...runs, a.run, b.run]);
  const otherMachine = a.run.machine.cpu_model !== b.run.machine.cpu_model;
  return [
    h(
      'div',
      { class: 'controls control-line' },
      select('run-a', 'Run', options, a.run.id, value => context.go({ of: 'runs', a: value, b: b.run.id, page: null })),
      select('run-b', 'against', options, b.run.id, value =>
        context.go({ of: 'runs', b: value, a: a.run.id, page: null }),
      ),
      ...controls,
    ),
    otherMachine
      ? notice(
          `The two runs had different machines (${a.run.machine.cpu_model ?? 'unknown'} and ${b.run.machine.cpu_model ?? 'unknown'}): part of a difference may be theirs.`,
        )
      : h('span', {}),
    ...result(pairs, {
      metric,
      labels: [date(a.run.started_at), date(b.run.started_at)],
      lineOf: ({ subject, scenario }) =>
        chosen.length === 1 ? subjectName(subject) : `${subjectName(subject)}, ${scenario.id}`,
      ...paging(context),
    }),
  ];
}
