// One run with another: every figure that both have, the largest ratios first.
import type { Context, Shown } from '../../app/context';
import { differences, toneOf } from '../../charts/differences';
import { type Found, foundAt } from '../../data/figures';
import { type Judgement, quotient } from '../../data/judge';
import { CPU, METRICS, type Metric } from '../../data/metrics';
import { subjectName } from '../../data/names';
import { allRuns, findRun, runsOf } from '../../data/runs';
import { shortTitle, titlesOf } from '../../data/scenarios';
import type { Run, RunFigures, Scenario, Series, Subject } from '../../data/types';
import { fold, select } from '../../ui/controls';
import { h } from '../../ui/dom';
import { date, machines, plural } from '../../ui/format';
import {
  AS_TABLE,
  controlLine,
  faint,
  judgedText,
  kindsOfRun,
  metricSelect,
  notice,
  reading,
  workSelect,
} from '../../ui/parts';
import { figuresTable, type TableOptions } from './result';

interface Pair {
  subject: Subject;
  scenario: Scenario;
  a: Found | null;
  b: Found | null;
  judgement: Judgement;
}

/** The same subjects in two runs: the largest ratio first, and what has none last. */
function acrossRuns(a: RunFigures, b: RunFigures, scenarios: Scenario[], metric: Metric): Pair[] {
  const pairs = scenarios.flatMap(scenario =>
    [...b.period.subjects.values()].flatMap((subject): Pair[] => {
      const at = ({ series, run }: RunFigures) => foundAt(series.get(scenario.id), metric.id, subject.key, run);
      const [left, right] = [at(a), at(b)];
      // The reference's ratio to itself is always one.
      if (subject.role === 'reference' || (left === null && right === null)) return [];
      return [{ subject, scenario, a: left, b: right, judgement: quotient(metric, right, left) }];
    }),
  );
  const size = ({ judgement: { ratio } }: Pair) => (ratio === null ? -1 : Math.abs(Math.log(ratio.middle)));
  return pairs.sort((one, other) => size(other) - size(one));
}

/** More lines than these are read in the table. */
const DRAWN = 40;

/** So many runs are offered; any other can be named in the address. */
const OFFERED = 60;

/** Figures that one of these files has; what is looked at stays even if none has it. */
const offered = (series: Iterable<Series>, metric: Metric): Metric[] => {
  const found = new Set([...series].flatMap(({ metrics }) => [...metrics.keys()]));
  return [...METRICS.values()].filter(each => each === metric || found.has(each.id));
};

/** Each run once, newest first. */
const runOptions = (runs: Run[]) =>
  runsOf(runs.map(run => ({ run })))
    .sort((x, y) => y.started_at - x.started_at)
    .map(run => ({ value: run.id, label: `${date(run.started_at)} · ${run.id}` }));

/** The run of this id, or the fallback where none is named; a sentence where there is no such run. */
const find = async (context: Context, id: string | null, fallback: Run | undefined) =>
  id === null && fallback === undefined
    ? 'There is only one run so far.'
    : findRun(context.store, context.lane, id ?? fallback?.id ?? null);

/** The left run is judged, against the right one. */
export async function compareRuns(context: Context): Promise<Pick<Shown, 'title' | 'body'>> {
  const runs = (await allRuns(context.store, context.lane)).slice(0, OFFERED);
  const metric = METRICS.get(context.parameter('metric') ?? '') ?? CPU;
  return {
    title: 'Two runs',
    body: [
      h('h1', {}, 'One run with another'),
      kindsOfRun(context, 'compare'),
      ...(await bodyOf(context, runs, metric)),
    ],
  };
}

async function bodyOf(context: Context, runs: Run[], metric: Metric): Promise<(Node | null)[]> {
  const [a, b] = await Promise.all([
    find(context, context.parameter('a'), runs[1]),
    find(context, context.parameter('b'), runs[0]),
  ]);
  if (typeof a === 'string' || typeof b === 'string')
    return [a, b].flatMap(each => (typeof each === 'string' ? [notice(each)] : []));
  const { scenarios } = b.period;
  const named = scenarios.get(context.parameter('scenario') ?? '');
  const chosen = named === undefined ? [...scenarios.values()] : [named];
  const pairs = acrossRuns(a, b, chosen, metric);
  const shown: TableOptions<Pair> = {
    metric,
    labels: [date(a.run.started_at), date(b.run.started_at)],
    lineOf: ({ subject, scenario }) =>
      chosen.length === 1 ? subjectName(subject) : `${subjectName(subject)}, ${shortTitle(scenario.id)}`,
    words: ({ judgement }) => judgedText(judgement, () => ''),
  };
  const options = runOptions([...runs, a.run, b.run]);
  return [
    controlLine(
      select('run-b', 'Run', options, b.run.id, value => context.go({ of: 'runs', b: value, a: a.run.id, page: null })),
      select('run-a', 'against', options, a.run.id, value =>
        context.go({ of: 'runs', a: value, b: b.run.id, page: null }),
      ),
      workSelect(context, titlesOf(scenarios), named?.id ?? '', true),
      metricSelect(context, offered([...a.series.values(), ...b.series.values()], metric), metric),
    ),
    a.run.machine.cpu_model !== b.run.machine.cpu_model
      ? notice(`The two runs had different machines (${machines([a.run, b.run])}): part of a difference may be theirs.`)
      : faint(`Both on ${machines([a.run])}.`),
    differences(
      pairs.slice(0, DRAWN).map(pair => ({
        kind: toneOf(pair.judgement),
        name: shown.lineOf(pair),
        drawn: pair.judgement.ratio,
        words: shown.words(pair),
      })),
      { head: `${shown.labels[1]} against ${shown.labels[0]}`, same: 'same' },
    ),
    pairs.length > DRAWN ? faint(`The first ${DRAWN} of ${plural(pairs.length, 'pair')}; the table has all.`) : null,
    fold('figures', AS_TABLE, () => [figuresTable(context, pairs, shown)]),
    reading(
      'Each figure is divided by the reference server’s in its own run, so that most of what the machine does cancels; memory and start-up, which have no such ratio, stand for themselves. The interval of a difference reaches to the extremes that those of both runs allow; among many, some leave out “same” by chance. Whether a framework has moved is judged over all runs: Trends has what is confirmed.',
    ),
  ];
}
