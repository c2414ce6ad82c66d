// All figures of one framework in the newest run of each scenario: a picture of one figure, and the table of all.
import type { Context } from '../../app/context';
import { cellAt, roundsOf } from '../../data/figures';
import { CPU, METRICS, type Metric } from '../../data/metrics';
import { subjectName, versionOf } from '../../data/names';
import { runOf } from '../../data/runs';
import type { Period, RunFigures, Subject } from '../../data/types';
import { verdictLabel } from '../../data/verdicts';
import { fold, segmented } from '../../ui/controls';
import { h } from '../../ui/dom';
import { number, rankText } from '../../ui/format';
import { chosenMetric, metricSelect, titled } from '../../ui/parts';
import { share } from '../../ui/share';
import { table } from '../../ui/table';
import { type Line, labelOf, picture } from './picture';

export function figuresOf(context: Context, newest: RunFigures, variants: Subject[]): HTMLElement {
  const { period, series } = newest;
  const lines = [...period.scenarios.values()].flatMap(scenario => {
    const found = series.get(scenario.id);
    if (found === undefined) return [];
    const run = runOf(newest, found);
    return variants.flatMap((subject): Line[] => {
      const cells = [...METRICS.keys()].flatMap(id => {
        const cell = cellAt(found, id, subject.key, run.id);
        return cell === null ? [] : [[id, { ...cell, rounds: roundsOf(found, id, run) }] as const];
      });
      return cells.length === 0 ? [] : [{ subject, scenario, run, cells: new Map(cells) }];
    });
  });
  const offered = [...METRICS.values()].filter(({ id }) => lines.some(({ cells }) => cells.get(id)?.value));
  const metric = chosenMetric(context, offered) ?? CPU;
  const chart = picture(context, period, lines, metric);
  return titled(
    'How it does, by kind of work',
    metricSelect(context, offered, metric, segmented),
    chart,
    share(context, {
      title: `${variants[0]?.name}: ${metric.label}`,
      of: lines,
      versions: variants.map(subject => `${subjectName(subject)} ${versionOf(period, subject.key)}`),
      pinned: { metric: metric.id },
      chart,
    }),
    fold('figures', 'All figures as a table', () => [allFigures(period, lines, offered)]),
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
        label: `${metric.label}, ${metric.unit}`,
        figure: true,
        cell: ({ cells }: Line) => {
          const value = cells.get(metric.id)?.value ?? null;
          if (value === null) return '–';
          const text = number(value.median / metric.divisor);
          if (!value.trusted) return h('span', { class: 'faint', title: 'not trusted' }, `(${text})`);
          return value.rank === null ? text : `${text}, rank ${rankText(value.rank)}`;
        },
      })),
      { label: 'Verdict', cell: verdict },
    ],
    lines,
  );
}
