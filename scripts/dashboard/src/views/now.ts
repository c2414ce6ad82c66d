// Which framework is fastest for a kind of work, and how sure that is.
import type { Context, Shown } from '../app/context';
import { ranking } from '../charts/ranking';
import { type Basis, basisOf, drawnBy, roundsOf } from '../data/figures';
import type { Dimension } from '../data/generated/published';
import { CPU, METRICS, type Metric, P99 } from '../data/metrics';
import { allRuns } from '../data/runs';
import { along, families, fullTitle, NO_CURVE, ownMetric } from '../data/scenarios';
import { groupsOf, isOf, KINDS, type Row, rowsOf, type Snapshot, snapshot } from '../data/snapshot';
import type { Run, Tier } from '../data/types';
import { checks, fold, segmented, select } from '../ui/controls';
import { h } from '../ui/dom';
import { coverage, date, machines, plural } from '../ui/format';
import { filling, painted } from '../ui/late';
import { AS_TABLE, emptyView, eyebrow, faint, leftOut, metricSelect, notice, OWN_WORK, reading } from '../ui/parts';
import { share } from '../ui/share';
import { figuresTable } from './now/figures';
import { headline, provenance } from './now/headline';
import { marks } from './now/marks';
import { latencyCurves } from './now/percentiles';
import { scenarioList } from './now/scenarios';

/** A list of thousands is no choice. */
const MOST_RUNS = 60;

export async function show(context: Context): Promise<Shown> {
  const listing = allRuns(context.store, context.lane);
  const state = await snapshot(context.store, context.lane, {
    scenario: context.parameter('scenario'),
    run: context.parameter('run'),
  });
  if (typeof state === 'string') return emptyView('Now', state);
  const runs = await listing;
  const { period, scenario, series } = state;

  const offered = [...METRICS.values()].filter(metric => series.metrics.has(metric.id));
  const wanted = context.parameter('metric') ?? ownMetric(scenario);
  const metric = offered.find(({ id }) => id === wanted) ?? offered[0] ?? CPU;
  const variant = context.parameter('variant') ?? 'default';
  const rows = rowsOf(state, metric.id);
  // All that the run has: one with a database measures other kinds of servers than one without.
  const present = KINDS.filter(({ tier }) => rows.some(({ subject }) => isOf(tier, subject)));
  const kindsShown = new Set(context.parameter('kinds')?.split(',') ?? usual(present.map(({ tier }) => tier)));

  const basis = basisOf(rows.map(({ cell }) => cell.value));
  const rounds = roundsOf(series, metric.id, state.run);
  const ofVariant = ({ subject }: Row) => variant === 'all' || subject.variant === variant;
  const hidden = rows.some(row => row.cell.value?.rank && !ofVariant(row));
  const drawn = groupsOf(rows, metric, row => kindsShown.has(row.subject.tier) && ofVariant(row));
  // The answer is about the first kind that has figures: drivers, where nothing else was measured.
  const first = drawn.find(({ rows: [row] }) => row?.subject.role === 'framework');
  const wantedKind = KINDS.find(({ tier }) => kindsShown.has(tier));
  const reference = rows.find(({ subject }) => subject.role === 'reference')?.cell.value ?? null;
  const chart = ranking(drawn, {
    metric,
    basis,
    reference: drawnBy(reference, basis, metric)?.middle ?? null,
    rounds,
    addressOf: ({ subject }) => context.to('framework', subject.app),
  });

  // Lines that the reader has chosen are there at once, so that the focus stays on the choice; else the figures come first.
  const curves = h('div', {}, faint('Reading the record of the run…'));
  const isOpen = scenario.load.model === 'open';
  if (isOpen && context.parameter('curves') !== null) await fillCurves(context, state, curves);

  const body = h(
    'div',
    { class: 'with-side' },
    h('aside', {}, scenarioList(context, period.scenarios, scenario)),
    h(
      'div',
      { class: 'content' },
      eyebrow(scenario.method && scenario.path ? `${scenario.method} ${scenario.path}` : scenario.id),
      h('h1', {}, fullTitle(scenario, period.scenarios)),
      provenance(context, state, rounds),
      scenario.stands_for && h('p', { class: 'stands-for' }, scenario.stands_for),
      headline(first?.rows ?? [], first?.label ?? wantedKind?.label ?? '', metric, basis, state.run),
      options(controls(context, state, offered, { metric, variant, present, kindsShown, runs })),
      first !== undefined ? null : notice('No figures for this choice: choose other kinds or another variant.'),
      chart.element,
      reading(readingOf(state, metric, rows, basis), hidden ? ' Places count variants that are not shown.' : ''),
      share(context, {
        title: `${fullTitle(scenario, period.scenarios)}: ${metric.label}`,
        of: [state],
        versions: drawn.flatMap(group => group.rows.map(row => `${row.subject.name} ${row.version}`)),
        pinned: { scenario: scenario.id, run: state.run.id },
        chart: chart.element,
      }),
      isOpen ? h('section', { class: 'spread-of-latency' }, h('h2', {}, 'Percentiles of latency'), curves) : null,
      notOffered(state),
      fold('figures', AS_TABLE, () => [figuresTable(drawn, metric)]),
    ),
  );
  return {
    title: fullTitle(scenario, period.scenarios),
    body: [body],
    attached: () => {
      const late = (places: Iterable<Element>, work: () => Promise<void>) =>
        void filling(places, () => painted().then(work));
      late(chart.marks.values(), () => marks(context, state, metric, chart.marks));
      if (isOpen && context.parameter('curves') === null) late([curves], () => fillCurves(context, state, curves));
    },
  };
}

/** From the record of the run, which is larger than all else here: only where a rate is fixed. */
async function fillCurves(context: Context, state: Snapshot, place: HTMLElement): Promise<void> {
  place.replaceChildren(...(await latencyCurves(context, state)));
}

/** Frameworks that document no way to do this kind of work, with the reasons. */
function notOffered({ period, scenario }: Snapshot): HTMLElement | null {
  const kind = scenario.service?.kind;
  if (kind === undefined) return null;
  const left = [...period.subjects.values()].filter(({ services }) => services.has(kind));
  return leftOut(
    'Not offered',
    left.map(({ name, services }) => [name, `${services.get(kind)}`]),
  );
}

/** Legacy frameworks only by choice, or where there is nothing else. */
const usual = (tiers: Tier[]): Tier[] =>
  tiers.some(tier => tier !== 'legacy') ? tiers.filter(tier => tier !== 'legacy') : tiers;

function readingOf(state: Snapshot, metric: Metric, rows: Row[], basis: Basis): string {
  const ofRatios = `× reference is a ratio on ${machines([state.run])}; its 95 % interval covers ${coverage(...rows.flatMap(({ cell: { value } }) => value ?? []).slice(0, 1))}.`;
  const of = basis === 'own work' ? `${OWN_WORK} ${ofRatios}` : basis === 'ratio' ? ofRatios : '';
  return `${aboutMetric(state, metric)} ${of}`;
}

function aboutMetric({ scenario, series }: Snapshot, metric: Metric): string {
  if (scenario.load.model === 'open')
    return metric.reading + (series.metrics.has(P99.id) ? '' : ' Too few requests for p99.');
  if (!metric.id.startsWith('latency')) return metric.reading;
  return `${metric.reading} ${NO_CURVE} See the scenarios at fixed rates.`;
}

/** Controls that on a phone stand between the question and the figures until somebody wants them. */
function options(controls: HTMLElement): HTMLElement {
  const open = !matchMedia('(max-width: 600px)').matches;
  return h('details', { id: 'options', class: 'options', open }, h('summary', {}, 'Figure, run and servers'), controls);
}

interface Chosen {
  metric: Metric;
  variant: string;
  /** The kinds of servers that there are. */
  present: typeof KINDS;
  /** Those that are to be shown. */
  kindsShown: Set<string>;
  /** All runs, the newest first. */
  runs: Run[];
}

function controls(context: Context, state: Snapshot, offered: Metric[], chosen: Chosen): HTMLElement {
  const { metric, variant, present, kindsShown } = chosen;
  const { period, scenario } = state;
  const { go } = context;
  const family = families(period.scenarios).find(
    ({ base, dimensions }) => base === scenario || [...dimensions.values()].some(members => members.includes(scenario)),
  );
  const variants = [...new Set([...period.subjects.values()].map(subject => subject.variant))].sort();
  const dimensionNames: Partial<Record<Dimension, string>> = {
    protocol: 'Protocol',
    connections: 'Connections',
    rate: 'Latency at fixed rates',
    routes: 'Routes',
    layers: 'Layers of middleware',
    refusal: 'Refusals',
  };
  return h(
    'div',
    { class: 'controls' },
    metricSelect(context, offered, metric, segmented),
    [...(family?.dimensions ?? [])].map(([dimension, members]) =>
      segmented(
        dimension,
        dimensionNames[dimension] ?? dimension,
        members.map(member => ({ value: member.id, label: along(member, dimension), title: member.id })),
        scenario.id,
        value => go({ scenario: value, metric: null }),
      ),
    ),
    h(
      'div',
      { class: 'control-line' },
      present.every(({ tier }) => kindsShown.has(tier)) && present.length < 2
        ? null
        : checks(
            'kind',
            'Show',
            present.map(({ tier, short }) => ({ value: tier, label: short })),
            kindsShown,
            next => go({ kinds: [...next].filter(kind => kind !== 'none').join(',') || 'none' }),
          ),
      runSelect(context, state, chosen.runs),
      variants.length > 1
        ? select('variant', 'Variant', [...variants, 'all'], variant, value => go({ variant: value }))
        : null,
    ),
  );
}

/** Other runs of the month that measured this: the newest may be one that somebody made of a few frameworks. */
function runSelect({ go, parameter }: Context, { run }: Snapshot, all: Run[]): HTMLElement | null {
  const runs = all.slice(0, MOST_RUNS);
  if (runs.length < 2 && parameter('run') === null) return null;
  const options = runs.map(({ id, started_at, apps }) => ({
    value: id,
    label: `${date(started_at)}${apps === null ? '' : `, ${plural(apps, 'app')}`}`,
  }));
  return select('run', 'Run', options, run.id, value => go({ run: value }));
}
