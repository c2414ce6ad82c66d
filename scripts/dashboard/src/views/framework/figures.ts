// All figures of one framework in the newest run of each scenario: a line for each scenario and variant, drawn as the ratio to
// the reference, with the figures beside it.
import type { Context } from '../../app/context';
import { scaleOf } from '../../charts/scale';
import { type Cell, cellAt } from '../../data/figures';
import { CPU, METRICS, type Metric } from '../../data/metrics';
import { fullTitle } from '../../data/scenarios';
import { newestRun } from '../../data/snapshot';
import type { Period, Scenario, Series, Subject } from '../../data/types';
import { verdictLabel } from '../../data/verdicts';
import { fold, segmented } from '../../ui/controls';
import { h, place, s } from '../../ui/dom';
import { figure, number, ratio } from '../../ui/format';
import { table } from '../../ui/table';

interface Line {
  subject: Subject;
  scenario: Scenario;
  cells: Map<string, Cell>;
}

export function figuresOf(
  context: Context,
  period: Period,
  series: Map<string, Series>,
  variants: Subject[],
): HTMLElement {
  const lines = [...period.scenarios.values()].flatMap(scenario => {
    const found = series.get(scenario.id);
    const run = found === undefined ? null : newestRun(period, found);
    if (found === undefined || run === null) return [];
    return variants.flatMap((subject): Line[] => {
      const cells = [...METRICS.keys()].flatMap(id => {
        const cell = cellAt(found, id, subject.key, run.id);
        return cell === null || (cell.value === null && cell.verdict === null) ? [] : [[id, cell] as const];
      });
      return cells.length === 0 ? [] : [{ subject, scenario, cells: new Map(cells) }];
    });
  });
  const offered = [...METRICS.values()].filter(({ id }) => lines.some(({ cells }) => cells.get(id)?.value));
  const metric = offered.find(({ id }) => id === context.parameter('metric')) ?? offered[0] ?? CPU;
  return h(
    'section',
    {},
    h('h2', {}, 'How it does, by kind of work'),
    segmented(
      'metric',
      'Figure',
      offered.map(({ id, label }) => ({ value: id, label })),
      metric.id,
      value => context.go({ metric: value }),
    ),
    picture(context, period, lines, metric),
    fold('figures', 'All figures as a table', allFigures(period, lines, offered)),
  );
}

const labelOf = ({ scenario, subject }: Line, scenarios: Map<string, Scenario>): string =>
  fullTitle(scenario, scenarios) + (subject.variant === 'default' ? '' : ` (${subject.variant})`);

function picture(context: Context, period: Period, lines: Line[], metric: Metric): HTMLElement {
  const values = lines.flatMap(({ cells }) => cells.get(metric.id)?.value ?? []);
  const scale = scaleOf([1, ...values.flatMap(v => [v.ratio ?? 1, v.ratioLow ?? 1, v.ratioHigh ?? 1])]);
  const x = (value: number) => `${scale.percent(value)}%`;
  return h(
    'div',
    { class: 'differences by-scenario' },
    h(
      'div',
      { class: 'difference axis', 'aria-hidden': 'true' },
      h('span', { class: 'name' }, metric.better === 'less' ? '← better' : 'better →'),
      h(
        'span',
        { class: 'plot' },
        scale.ticks.map(tick =>
          place(h('span', { class: 'tick' }, tick === 1 ? 'reference' : `${number(tick)}×`), { left: x(tick) }),
        ),
      ),
      h('span', { class: 'words' }),
    ),
    h(
      'ol',
      {},
      lines.map(line => {
        const cell = line.cells.get(metric.id);
        const value = cell?.value ?? null;
        const trusted = value?.trusted ?? false;
        const parameters = { scenario: line.scenario.id, metric: metric.id };
        return h(
          'li',
          { class: `difference ${trusted ? 'plain' : 'unjudged'}` },
          h(
            'span',
            { class: 'name' },
            h('a', { href: context.to('now', null, parameters) }, labelOf(line, period.scenarios)),
          ),
          h(
            'span',
            { class: 'plot' },
            s(
              'svg',
              { 'aria-hidden': 'true' },
              scale.ticks.map(tick => s('line', { class: 'grid', x1: x(tick), x2: x(tick), y1: 0, y2: '100%' })),
              s('line', { class: 'zero', x1: x(1), x2: x(1), y1: 0, y2: '100%' }),
              value?.ratioLow == null || value.ratioHigh === null
                ? null
                : s('line', { class: 'whisker', x1: x(value.ratioLow), x2: x(value.ratioHigh), y1: '50%', y2: '50%' }),
              value?.ratio == null ? null : s('circle', { class: 'median', cx: x(value.ratio), cy: '50%', r: 4.5 }),
            ),
          ),
          h(
            'span',
            { class: 'words' },
            value === null
              ? verdictLabel(cell?.verdict ?? null)
              : [
                  h('b', {}, figure(metric, value.median)),
                  ` · ${ratio(value.ratio)}`,
                  value.rankTier === null ? null : ` · tier ${value.rankTier}`,
                  trusted ? null : ` · ${verdictLabel(value.verdict)}`,
                ],
            ' ',
            h(
              'a',
              { class: 'small', href: context.to('trends', null, { ...parameters, apps: line.subject.key }) },
              'trend',
            ),
          ),
        );
      }),
    ),
  );
}

function allFigures(period: Period, lines: Line[], offered: Metric[]): HTMLElement {
  const verdict = ({ cells }: Line) => {
    const [first] = cells.values();
    return first === undefined ? '–' : verdictLabel(first.verdict) + (first.reason === null ? '' : `: ${first.reason}`);
  };
  return table(
    'All figures',
    [
      { label: 'Kind of work', cell: line => labelOf(line, period.scenarios) },
      ...offered.map(metric => ({
        label: `${metric.short}, ${metric.unit}`,
        figure: true,
        cell: ({ cells }: Line) => {
          const value = cells.get(metric.id)?.value ?? null;
          if (value === null) return '–';
          const text = number(value.median / metric.divisor);
          return value.trusted ? text : h('span', { class: 'faint', title: 'not trusted' }, `(${text})`);
        },
      })),
      { label: 'Verdict', cell: verdict },
    ],
    lines,
  );
}
