// One figure of a framework over all kinds of work: a line for each scenario and variant, as its ratio to the reference.
import type { Context } from '../../app/context';
import { scaleOf } from '../../charts/scale';
import { type Cell, missedRounds, type Rounds, type Value } from '../../data/figures';
import type { Metric } from '../../data/metrics';
import { fullTitle } from '../../data/scenarios';
import type { Period, Scenario, Subject } from '../../data/types';
import { verdictLabel } from '../../data/verdicts';
import { type Children, h, place, s } from '../../ui/dom';
import { between, figure, inUnit, rankText, ratioTexts, tick as tickText } from '../../ui/format';

export interface Line {
  /** Median of the reference for each metric, where there is one. */
  reference: Map<string, number>;
  subject: Subject;
  scenario: Scenario;
  cells: Map<string, Cell & { rounds: Rounds }>;
}

interface Relative {
  middle: number;
  low: number | null;
  high: number | null;
}

/** The ratio that was paired within the rounds; else, as for memory, the figure divided by the reference's, which has no interval. */
function relative_to(reference: number | undefined, value: Value | null): Relative | null {
  if (value === null) return null;
  if (value.ratio !== null) return { middle: value.ratio, low: value.ratio_low, high: value.ratio_high };
  return reference === undefined ? null : { middle: value.median / reference, low: null, high: null };
}

/** The ratio with its interval first where there is one, the figure of this machine after it. */
function words(metric: Metric, value: Value, rounds: Rounds): Children {
  const { median, low, high } = value;
  const ratios = ratioTexts(value);
  const parts = [
    value.ratio === null ? between(inUnit(metric, low), inUnit(metric, high)) : ratios.between,
    value.rank === null ? '' : `rank ${rankText(value.rank)}`,
    value.ratio === null ? '' : figure(metric, median),
    missedRounds(value, rounds) ?? '',
    value.trusted ? '' : verdictLabel(value.verdict),
  ].filter(part => part !== '');
  return [h('b', {}, value.ratio === null ? figure(metric, median) : ratios.ratio), parts.map(part => ` · ${part}`)];
}

export const labelOf = ({ scenario, subject }: Line, scenarios: Map<string, Scenario>): string =>
  fullTitle(scenario, scenarios) + (subject.variant === 'default' ? '' : ` (${subject.variant})`);

export function picture(context: Context, period: Period, lines: Line[], metric: Metric): HTMLElement {
  const relative = ({ cells, reference }: Line) =>
    relative_to(reference.get(metric.id), cells.get(metric.id)?.value ?? null);
  const scale = scaleOf([
    1,
    ...lines.flatMap(relative).flatMap(v => (v === null ? [] : [v.middle, v.low ?? 1, v.high ?? 1])),
  ]);
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
          place(h('span', { class: 'tick' }, tick === 1 ? 'reference' : `${tickText(tick)}×`), { left: x(tick) }),
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
        const drawn = relative(line);
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
              drawn === null || drawn.low === null || drawn.high === null
                ? null
                : s('line', { class: 'whisker', x1: x(drawn.low), x2: x(drawn.high), y1: '50%', y2: '50%' }),
              drawn === null ? null : s('circle', { class: 'median', cx: x(drawn.middle), cy: '50%', r: 4.5 }),
            ),
          ),
          h(
            'span',
            { class: 'words' },
            value === null
              ? verdictLabel(cell?.verdict ?? null)
              : words(metric, value, cell?.rounds ?? { planned: null, most: null }),
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
