// One figure of a framework over all kinds of work: a line for each scenario and variant, as its ratio to the reference.
import type { Context } from '../../app/context';
import { betterSide, type Drawn, differences } from '../../charts/differences';
import { type Cell, missedRounds, type Rounds, type Value } from '../../data/figures';
import type { Metric } from '../../data/metrics';
import { fullTitle } from '../../data/scenarios';
import type { Period, Scenario, Subject } from '../../data/types';
import { verdictLabel } from '../../data/verdicts';
import { type Children, h } from '../../ui/dom';
import { between, figure, inUnit, rankText, ratioTexts } from '../../ui/format';

export interface Line {
  /** Median of the reference for each metric, where there is one. */
  reference: Map<string, number>;
  subject: Subject;
  scenario: Scenario;
  cells: Map<string, Cell & { rounds: Rounds }>;
}

/** The ratio that was paired within the rounds; else, as for memory, the figure divided by the reference's, which has no interval. */
function relativeTo(reference: number | undefined, value: Value | null): Drawn | null {
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

export function picture({ to }: Context, period: Period, lines: Line[], metric: Metric): HTMLElement {
  return differences(
    lines.map(line => {
      const cell = line.cells.get(metric.id);
      const value = cell?.value ?? null;
      const parameters = { scenario: line.scenario.id, metric: metric.id };
      const trend = to('trends', null, { ...parameters, apps: line.subject.key });
      return {
        kind: value?.trusted ? 'plain' : 'unjudged',
        name: h('a', { href: to('now', null, parameters) }, labelOf(line, period.scenarios)),
        drawn: relativeTo(line.reference.get(metric.id), value),
        words: [
          value === null || cell === undefined
            ? verdictLabel(cell?.verdict ?? null)
            : words(metric, value, cell.rounds),
          ' ',
          h('a', { class: 'small', href: trend }, 'trend'),
        ],
      };
    }),
    { head: betterSide(metric), same: 'reference', times: true },
  );
}
