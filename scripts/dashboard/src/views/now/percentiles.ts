// How latency is spread at a fixed rate: a curve for the reference, the first few of the ranking, and whom the reader adds.
import type { Context } from '../../app/context';
import { JUDGED_BY } from '../../data/percentiles';
import { rowsOf, type Snapshot } from '../../data/snapshot';
import { lineChooser } from '../../ui/line-chooser';
import { faint } from '../../ui/parts';
import { curvesIn, percentiles } from '../../ui/percentiles';
import { chosenOf, inOrder } from './lines';

export async function percentilesOf(context: Context, state: Snapshot): Promise<HTMLElement[]> {
  const curves = await curvesIn(context, state);
  if (typeof curves === 'string') return [faint(curves)];
  const rows = inOrder(rowsOf(state, JUDGED_BY));
  const chosen = chosenOf(context.parameter('curves'), rows);
  return [
    ...percentiles(
      state,
      rows.filter(({ subject }) => chosen.includes(subject.key)),
      curves,
    ),
    lineChooser(
      context,
      rows.map(({ subject }) => subject),
      chosen,
    ),
  ];
}
