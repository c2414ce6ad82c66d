// One framework's latencies at fixed rates, next to the reference's; read when somebody unfolds them.
import type { Context } from '../../app/context';
import { JUDGED_BY } from '../../data/percentiles';
import { runOf } from '../../data/runs';
import { fullTitle, NO_CURVE } from '../../data/scenarios';
import { rowsOf, type Snapshot } from '../../data/snapshot';
import type { RunFigures, Subject } from '../../data/types';
import { fold, select } from '../../ui/controls';
import { h } from '../../ui/dom';
import { filling } from '../../ui/late';
import { faint } from '../../ui/parts';
import { curvesIn, percentiles } from '../../ui/percentiles';

export function latencyOf(context: Context, newest: RunFigures, variants: Subject[]): HTMLElement {
  const { period, series } = newest;
  const keys = new Set(variants.map(({ key }) => key));
  const found = [...period.scenarios.values()].flatMap((scenario): Snapshot[] => {
    const figures = series.get(scenario.id);
    const measured = figures?.subjects.some(key => keys.has(key)) ?? false;
    return scenario.load.model === 'open' && figures !== undefined && measured
      ? [{ period, scenario, series: figures, run: runOf(newest, figures) }]
      : [];
  });
  const named = context.parameter('rate');
  const state = found.find(({ scenario }) => scenario.id === named) ?? found[0];
  if (state === undefined) return h('section', { hidden: true });
  return h(
    'section',
    { class: 'spread-of-latency' },
    h('h2', {}, 'Latency at fixed rates'),
    faint(NO_CURVE),
    fold('latency', 'Percentiles as a curve, next to the reference', () => {
      const place = h('div', {}, faint('Reading the record of the run…'));
      void filling([place], () => fill(context, state, keys, place));
      return [
        select(
          'rate',
          'Kind of work',
          found.map(({ scenario }) => ({ value: scenario.id, label: fullTitle(scenario, period.scenarios) })),
          state.scenario.id,
          value => context.go({ rate: value }),
        ),
        place,
      ];
    }),
  );
}

async function fill(context: Context, state: Snapshot, keys: Set<string>, place: HTMLElement): Promise<void> {
  const curves = await curvesIn(context, state);
  const rows = rowsOf(state, JUDGED_BY).filter(({ subject }) => subject.role === 'reference' || keys.has(subject.key));
  // The reference has the same colour as everywhere.
  rows.sort((a, b) => Number(b.subject.role === 'reference') - Number(a.subject.role === 'reference'));
  place.replaceChildren(...(typeof curves === 'string' ? [faint(curves)] : percentiles(state, rows, curves)));
}
