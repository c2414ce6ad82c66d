// One figure of a framework over all kinds of work: a line for each scenario and variant, by what is the figure of a row.
import type { Context } from '../../app/context';
import { betterSide, differences, inTimes } from '../../charts/differences';
import { basisOf, type Cell, drawnBy, missedRounds, type Rounds, type Value } from '../../data/figures';
import type { Metric } from '../../data/metrics';
import { fullTitle } from '../../data/scenarios';
import type { Period, Run, Scenario, Subject } from '../../data/types';
import { verdictLabel } from '../../data/verdicts';
import { type Children, h, link } from '../../ui/dom';
import { coverage, figure, machines, rankText, rowTexts, tick as tickText } from '../../ui/format';
import { OWN_WORK, reading } from '../../ui/parts';

export interface Line {
  subject: Subject;
  scenario: Scenario;
  run: Run;
  cells: Map<string, Cell & { rounds: Rounds }>;
}

/** The figure of the row first, then what stands beside it, and the figure of this machine. */
function words(metric: Metric, value: Value, rounds: Rounds): Children {
  const basis = basisOf([value]);
  const { main, rest } = rowTexts(value, basis, metric);
  const parts = [
    rest,
    value.rank === null ? '' : `rank ${rankText(value.rank)}`,
    basis === 'figure' ? '' : figure(metric, value.median),
    missedRounds(value, rounds) ?? '',
    value.trusted ? '' : verdictLabel(value.verdict),
  ].filter(part => part !== '');
  return [h('b', {}, main), parts.map(part => ` · ${part}`)];
}

export const labelOf = ({ scenario, subject }: Line, scenarios: Map<string, Scenario>): string =>
  fullTitle(scenario, scenarios) + (subject.variant === 'default' ? '' : ` (${subject.variant})`);

export function picture({ to }: Context, period: Period, lines: Line[], metric: Metric): HTMLElement {
  const values = lines.map(line => line.cells.get(metric.id)?.value ?? null);
  const basis = basisOf(values);
  const [same, zero, tick, about] = {
    'own work': ['smallest server', 0, tickText, `${OWN_WORK} `] as const,
    ratio: ['reference', 1, inTimes, ''] as const,
    figure: ['', null, tickText, ''] as const,
  }[basis];
  const drawing = differences(
    lines.map(line => {
      const cell = line.cells.get(metric.id);
      const value = cell?.value ?? null;
      const parameters = { scenario: line.scenario.id, metric: metric.id };
      const trend = to('trends', null, { ...parameters, apps: line.subject.key });
      return {
        kind: value?.trusted ? 'plain' : 'unjudged',
        name: link(to('now', null, parameters), labelOf(line, period.scenarios)),
        drawn: drawnBy(value, basis, metric),
        words: [
          value === null || cell === undefined
            ? verdictLabel(cell?.verdict ?? null)
            : words(metric, value, cell.rounds),
          ' ',
          h('a', { class: 'small', href: trend }, 'trend'),
        ],
      };
    }),
    { head: betterSide(metric), same, zero, tick },
  );
  const on = machines(lines.map(({ run }) => run));
  const covers = coverage(...values.filter(value => value !== null));
  const ratios =
    basis === 'figure' ? '' : `A ratio (×) is to the reference, with its 95 % interval, on ${on}: it covers ${covers}.`;
  return h('div', {}, drawing, reading(about, ratios));
}
