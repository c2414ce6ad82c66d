// The summary of a record: what each app, variant and scenario came to.
import type * as Published from '../generated/published';
import { METRICS } from '../metrics';
import type { SummaryCell, SummaryFigure } from '../types';
import * as border from './border';

/** More cells than these are no run of ours. */
const MOST_CELLS = 20_000;

/** `subjects` is among how many a place can be. */
export const summary = (value: unknown, subjects: number, notices: border.Notices): SummaryCell[] =>
  border
    .items(value)
    .slice(0, MOST_CELLS)
    .flatMap(row => cell(row, subjects, notices) ?? []);

function cell(value: unknown, subjects: number, notices: border.Notices): SummaryCell | null {
  const fields = border.entries<Published.Cell>(value);
  const app = border.name(fields.get('app'));
  const variant = border.name(fields.get('variant')) ?? 'default';
  const scenario = border.name(fields.get('scenario'));
  if (app === null || scenario === null) return null;
  const metrics = new Map<string, SummaryFigure>();
  for (const [id, body] of border.entries(fields.get('metrics'))) {
    const found = METRICS.has(id) ? figure(body, subjects, notices) : null;
    if (found !== null) metrics.set(id, found);
  }
  const reasons = border.texts(fields.get('reasons'));
  return {
    app,
    variant,
    scenario,
    verdict: border.word<Published.Verdict>()(fields.get('verdict')),
    reason: reasons.length === 0 ? null : border.text(reasons.join('; ')),
    metrics,
  };
}

const interval = border.object<Published.Interval>()({ low: border.finite, high: border.finite });

const figureFields = border.object<Published.Summary>()(
  {
    median: border.finite,
    interval,
    ratio: border.object<Published.Ratio>()({ estimate: border.finite, interval }),
    rank: border.entries<Published.Rank>,
    trusted: (value: unknown) => value === true,
    trials: border.atLeastZero,
  },
  'trials',
);

/** `null` where nothing was measured: then not even the number of trials is there. */
function figure(value: unknown, subjects: number, notices: border.Notices): SummaryFigure | null {
  const fields = figureFields(value, notices);
  if (fields === null) return null;
  const { median, interval, ratio, rank, trusted, trials } = fields;
  return {
    median,
    low: interval.low,
    high: interval.high,
    ratio: ratio.estimate,
    ratio_low: ratio.interval.low,
    ratio_high: ratio.interval.high,
    rank: trusted ? border.rank(rank.get('best'), rank.get('worst'), subjects) : null,
    trusted,
    trials,
  };
}
