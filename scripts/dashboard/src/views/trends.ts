// Trends: all chosen frameworks over time, with what changed and why.
import type { Context, Shown } from '../app/context';
import { drawTrend } from '../charts/trend';
import { startsOf, type TrendColumns, trendColumns } from '../charts/trend-data';
import { type Basis, drawnBy } from '../data/figures';
import { type History, history } from '../data/history';
import { CPU, METRICS, type Metric } from '../data/metrics';
import { appNames, subjectName } from '../data/names';
import { fullTitle, titlesOf } from '../data/scenarios';
import { isProblem, orNull } from '../data/store';
import type { Period, Scenario } from '../data/types';
import { button, fold, segmented } from '../ui/controls';
import { h, link } from '../ui/dom';
import { between, date, inBrackets, MISSING, number } from '../ui/format';
import { AS_TABLE, controlLine, emptyView, eyebrow, measuredOn, metricSelect, notice, workSelect } from '../ui/parts';
import { share } from '../ui/share';
import { pagedTable } from '../ui/table';
import { chooser, chosenOf } from './trends/chosen';
import { changeLists, chartMarks } from './trends/marks';
import { begun, RANGES, type Window, windowOf, zoom } from './trends/window';

export async function show(context: Context): Promise<Shown> {
  const { lane, store } = context;
  if (lane.runs === 0) return emptyView('Trends', `${lane.name} has no runs yet.`);
  const period = await store.period(lane);
  if (isProblem(period)) return emptyView('Trends', period.problem);
  const wanted = windowOf(context, period.runs);
  const scenario = period.scenarios.get(context.parameter('scenario') ?? '') ?? [...period.scenarios.values()][0];
  if (scenario === undefined) return emptyView('Trends', 'The newest runs name no scenario.');
  const metric = METRICS.get(context.parameter('metric') ?? '') ?? CPU;

  const [past, changes] = await Promise.all([
    history(store, lane, scenario.id, metric.id, wanted),
    store.changes(lane),
  ]);
  performance.mark('trend-data-there');
  const window = begun(wanted, past.points[0]?.run.started_at);
  // What does not drift with the machine has no ratio to the reference.
  const hasRatios = past.lines.some(({ values }) => values.some(value => value?.ratio != null));
  const basis: Basis = hasRatios && context.parameter('mode') !== 'absolute' ? 'ratio' : 'figure';
  const chosen = chosenOf(context, past, metric.better === 'more');
  const known = orNull(changes);
  const columns = trendColumns(past, chosen, metric, basis, known === null ? [] : startsOf(known));
  const shown = { scenario: scenario.id, metric, span: window, chosen };
  const names = { app: appNames(period), scenarios: period.scenarios };
  const bands = context.parameter('bands') === null ? chosen.length <= 8 : context.parameter('bands') === 'on';
  const box = h('div', {
    class: 'chart-box',
    role: 'img',
    'aria-label': `${metric.label} over time; the table below has the same figures`,
  });
  let remove = () => {};

  const body = [
    eyebrow('Trends'),
    h('h1', {}, fullTitle(scenario, period.scenarios)),
    measuredOn(context, past.points),
    controls(context, period, scenario, past.metrics, metric, basis, bands),
    h(
      'div',
      { class: 'panel' },
      past.points.length === 0 ? notice('No figures in this span for this scenario and figure.') : null,
      box,
      navigation(context, window),
      share(context, {
        title: `${fullTitle(scenario, period.scenarios)}: ${metric.label} over time`,
        of: past.points,
        versions: columns.lines.map(
          ({ line: { subject, versions } }) => `${subjectName(subject)} ${versions.findLast(each => each !== null)}`,
        ),
        pinned: { from: date(window.from), to: date(window.to), range: null, apps: chosen.join(',') },
        chart: box,
      }),
    ),
    past.problems.map(problem => notice(problem)),
    chooser(context, past, chosen),
    changeLists(context, changes, shown, names),
    fold('figures', AS_TABLE, () => [figuresTable(context, past, columns, metric, basis)]),
  ].flat();

  return {
    title: `Trends: ${scenario.id}`,
    body,
    attached: () => {
      if (past.points.length === 0) return;
      remove = drawTrend(box, {
        columns,
        axisLabel: labelOf(metric, basis),
        unit: basis === 'ratio' ? '×' : ` ${metric.unit}`,
        bands,
        marks: chartMarks(changes, shown),
        from: window.from / 1000,
        to: window.to / 1000,
        zoomed: (from, to) => context.go(zoom(window, from * 1000, to * 1000)),
        reset: () => context.go({ from: null, to: null, range: 'all' }),
      });
    },
    leave: () => remove(),
  };
}

function controls(
  context: Context,
  period: Period,
  scenario: Scenario,
  measured: Set<string>,
  metric: Metric,
  basis: Basis,
  bands: boolean,
): HTMLElement {
  const { go } = context;
  const metrics = [...METRICS.values()].filter(each => each === metric || measured.has(each.id));
  return controlLine(
    workSelect(context, titlesOf(period.scenarios), scenario.id),
    metricSelect(context, metrics, metric),
    segmented(
      'mode',
      'Scale',
      [
        { value: 'ratio', label: '× reference' },
        { value: 'absolute', label: metric.unit, title: 'Absolute figures change with the machine' },
      ],
      basis === 'ratio' ? 'ratio' : 'absolute',
      value => go({ mode: value }),
    ),
    segmented('bands', 'Intervals', ['on', 'off'], bands ? 'on' : 'off', value => go({ bands: value })),
    segmented(
      'range',
      'Span',
      RANGES.map(({ value, label }) => ({ value, label })),
      windowOf(context, period.runs).range ?? '',
      value => go({ range: value, from: null, to: null }),
    ),
  );
}

function navigation(context: Context, window: Window): HTMLElement {
  const length = window.to - window.from;
  const to = (from: number, end: number) => () => context.go(zoom(window, from, end));
  return h(
    'div',
    { class: 'chart-buttons' },
    h('span', { class: 'span' }, `${date(window.from)} to ${date(window.to)}`),
    button(
      'earlier',
      '← Earlier',
      to(window.from - length / 2, window.to - length / 2),
      window.from <= window.whole.from,
    ),
    button('later', 'Later →', to(window.from + length / 2, window.to + length / 2), window.to >= window.whole.to),
    button('zoom-in', 'Zoom in', to(window.from + length / 4, window.to - length / 4)),
    button('zoom-out', 'Zoom out', to(window.from - length / 2, window.to + length / 2)),
    button('zoom-reset', 'Reset', () => context.go({ from: null, to: null, range: null })),
    h('span', { class: 'faint hint' }, 'Drag to zoom, double-click for all.'),
  );
}

const labelOf = ({ label, unit }: Metric, basis: Basis): string =>
  `${label}, ${basis === 'ratio' ? '× reference' : unit}`;

function figuresTable(context: Context, past: History, { lines }: TrendColumns, metric: Metric, basis: Basis) {
  const rows = past.points.map((point, at) => ({ point, at })).reverse();
  const cell = (value: History['lines'][number]['values'][number]) => {
    if (value?.trusted === false) return 'not trusted';
    const drawn = drawnBy(value, basis, metric);
    if (drawn === null) return MISSING;
    return number(drawn.middle) + inBrackets(between(drawn.low, drawn.high));
  };
  return pagedTable(
    context,
    'figures',
    labelOf(metric, basis),
    [
      {
        label: 'Run',
        cell: ({ point }) => link(context.to('run', point.run.id), date(point.run.started_at)),
      },
      ...lines.map(({ line }) => ({
        label: subjectName(line.subject),
        figure: true,
        cell: ({ at }: { at: number }) => cell(line.values[at] ?? null),
      })),
    ],
    rows,
  );
}
