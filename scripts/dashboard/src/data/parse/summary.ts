// The summary of a record: what each app, variant and scenario came to.
import { METRICS } from '../metrics';
import type { SummaryCell, SummaryFigure } from '../types';
import * as border from './border';

/** More cells than these are no run of ours. */
const MOST_CELLS = 20_000;

/** `subjects` is among how many a place can be. */
export function summary(value: unknown, subjects: number): SummaryCell[] {
  const rows = Array.isArray(value) ? (value as unknown[]) : [];
  return rows.slice(0, MOST_CELLS).flatMap(row => cell(row, subjects) ?? []);
}

function cell(value: unknown, subjects: number): SummaryCell | null {
  const fields = border.entries(value);
  const app = border.name(fields.get('app'));
  const variant = border.name(fields.get('variant')) ?? 'default';
  const scenario = border.name(fields.get('scenario'));
  if (app === null || scenario === null) return null;
  const metrics = new Map<string, SummaryFigure>();
  for (const [id, body] of border.entries(fields.get('metrics'))) {
    const found = METRICS.has(id) ? figure(border.entries(body), subjects) : null;
    if (found !== null) metrics.set(id, found);
  }
  const reasons = border.texts(fields.get('reasons'));
  return {
    app,
    variant,
    scenario,
    verdict: border.text(fields.get('verdict')),
    reason: reasons.length === 0 ? null : border.text(reasons.join('; ')),
    metrics,
  };
}

/** `null` where nothing was measured: then not even the number of trials is there. */
function figure(fields: Map<string, unknown>, subjects: number): SummaryFigure | null {
  const trials = border.atLeastZero(fields.get('trials'));
  if (trials === null) return null;
  const interval = border.entries(fields.get('interval'));
  const ratio = border.entries(fields.get('ratio'));
  const bounds = border.entries(ratio.get('interval'));
  const trusted = fields.get('trusted') === true;
  const rank = border.entries(fields.get('rank'));
  return {
    median: border.finite(fields.get('median')),
    low: border.finite(interval.get('low')),
    high: border.finite(interval.get('high')),
    // Its name before schema version 3 was `median`.
    ratio: border.finite(ratio.get('estimate') ?? ratio.get('median')),
    ratioLow: border.finite(bounds.get('low')),
    ratioHigh: border.finite(bounds.get('high')),
    rank: trusted ? border.rank(rank.get('best'), rank.get('worst'), subjects) : null,
    trusted,
    trials,
  };
}
