// What a run found: one figure of one kind of work, as it is ranked.
import type { Context } from '../../app/context';
import { METRICS } from '../../data/metrics';
import { fullTitle } from '../../data/scenarios';
import { groupsOf, rowsOf } from '../../data/snapshot';
import type { RunFigures } from '../../data/types';
import { select } from '../../ui/controls';
import { chosenMetric, controlLine, metricSelect, titled } from '../../ui/parts';
import { figuresTable } from '../now/figures';

export function foundOf(context: Context, { run, period, series }: RunFigures): HTMLElement | null {
  const scenarios = [...period.scenarios.values()].filter(({ id }) => series.has(id));
  const scenario = scenarios.find(({ id }) => id === context.parameter('of')) ?? scenarios[0];
  const figures = series.get(scenario?.id ?? '');
  const offered = [...METRICS.values()].filter(({ id }) => figures?.metrics.has(id));
  const metric = chosenMetric(context, offered);
  if (scenario === undefined || figures === undefined || metric === undefined) return null;
  const rows = rowsOf({ period, scenario, series: figures, run }, metric.id);
  return titled(
    'What it found',
    controlLine(
      select(
        'of',
        'Kind of work',
        scenarios.map(each => ({ value: each.id, label: fullTitle(each, period.scenarios) })),
        scenario.id,
        value => context.go({ of: value }),
      ),
      metricSelect(context, offered, metric),
    ),
    figuresTable(groupsOf(rows, metric), metric, `${metric.label}, ${fullTitle(scenario, period.scenarios)}`),
  );
}
