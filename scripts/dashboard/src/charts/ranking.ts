// The ranking: one line for each framework with its interval on an axis that all share, in the order of the figure that they are
// ranked by, each with the range of places that the run leaves. What is not trusted stands at the end, grey, hollow and without
// a place, and below it why.

import { type Basis, type Drawn, drawnBy, missedRounds, type Rounds } from '../data/figures';
import type { Metric } from '../data/metrics';
import { subjectName } from '../data/names';
import type { Group, Row } from '../data/snapshot';
import { verdictLabel } from '../data/verdicts';
import { h, link, place } from '../ui/dom';
import { inUnit, number, rankText, rowTexts, tick as tickText } from '../ui/format';
import { leftOut } from '../ui/parts';
import { betterSide } from './differences';
import { beyond, interval, ticksOf } from './interval';
import { type Scale, within } from './scale';

export interface Ranking {
  element: HTMLElement;
  /** Where it is said of a subject what breaks it, and how it moved. */
  marks: Map<string, HTMLElement>;
}

interface RankingOptions {
  metric: Metric;
  /** What is drawn; unless it is the figure, that stands next to it. */
  basis: Basis;
  /** Where the reference stands by that. */
  reference: number | null;
  rounds: Rounds;
  addressOf: (row: Row) => string;
}

export function ranking(groups: Group[], options: RankingOptions): Ranking {
  // Nobody whose framework is no longer maintained, and no trial of another world, sets the scale for all others.
  const all = groups.flatMap(({ rows }) => rows);
  const trusted = all.filter(({ cell }) => cell.value?.trusted);
  const maintained = trusted.filter(({ subject }) => subject.tier !== 'legacy');
  const scale = within(
    [maintained, trusted, all].find(rows => rows.length > 0) ?? [],
    row => ends(row, options),
    // Own work begins with 0.
    options.basis === 'figure' ? [] : options.basis === 'ratio' ? [1] : [0],
  );
  const marks = new Map<string, HTMLElement>();
  const element = h(
    'div',
    { class: 'ranking' },
    axis(scale, options),
    groups.map(({ label, rows }) =>
      h(
        'section',
        { class: 'group' },
        h('h2', {}, label),
        h(
          'ol',
          {},
          rows.map(row => line(row, scale, options, marks)),
        ),
        reasons(rows),
      ),
    ),
  );
  return { element, marks };
}

const drawn = ({ cell }: Row, { basis, metric }: RankingOptions): Drawn | null => drawnBy(cell.value, basis, metric);

const ends = (row: Row, options: RankingOptions): number[] => {
  const value = drawn(row, options);
  return value === null ? [] : [value.middle, value.low ?? value.middle, value.high ?? value.middle];
};

function axis(scale: Scale, { metric, basis, reference }: RankingOptions): HTMLElement {
  const at = reference === null ? null : scale.percent(reference);
  return h(
    'div',
    { class: 'row axis', 'aria-hidden': 'true' },
    h('span', { class: 'rank' }, 'Rank'),
    h('span', { class: 'name' }, h('span', { class: 'better' }, betterSide(metric))),
    h(
      'span',
      { class: 'plot' },
      ticksOf(scale, tickText),
      at === null || at < 0 || at > 100
        ? null
        : place(h('span', { class: 'tick reference' }, 'reference'), { left: `${at}%` }),
    ),
    h('span', { class: 'value' }, basis === 'figure' ? metric.unit : basis === 'ratio' ? '× reference' : basis),
    h('span', { class: 'absolute' }, basis === 'figure' ? '' : metric.unit),
  );
}

function line(row: Row, scale: Scale, options: RankingOptions, marks: Ranking['marks']): HTMLElement {
  const { subject, version, cell } = row;
  const { value } = cell;
  const { metric, basis, rounds } = options;
  const mark = h('span', { class: 'breaks' });
  marks.set(subject.key, mark);
  const trusted = value?.trusted ?? false;
  const rank = value?.rank ?? null;
  const kind = !trusted ? 'untrusted' : rank === null ? 'unranked' : rank.best === 1 ? 'best' : 'later';
  const ends = drawn(row, options);
  const { main, rest } = value === null ? { main: '', rest: '' } : rowTexts(value, basis, metric);
  const missed = value === null ? null : missedRounds(value, rounds);
  return h(
    'li',
    { class: `row ${kind}${ends === null ? ' undrawn' : ''}` },
    h(
      'span',
      { class: 'rank' },
      rank === null ? null : [h('span', { class: 'visually-hidden' }, 'rank '), rankText(rank)],
    ),
    h(
      'span',
      { class: 'name' },
      link(options.addressOf(row), subject.name),
      subject.variant === 'default' ? null : h('span', { class: 'variant' }, subject.variant),
      version === null ? null : h('span', { class: 'version' }, version),
      mark,
    ),
    h('span', { class: 'plot' }, interval(scale, options.reference, ends, 4), outside(scale, ends, main)),
    h(
      'span',
      { class: 'value' },
      trusted || basis === 'figure' ? h('b', {}, main) : null,
      h('span', { class: 'between' }, trusted ? rest : verdictLabel(cell.verdict)),
    ),
    h('span', { class: 'absolute' }, basis !== 'figure' && value !== null ? number(inUnit(metric, value.median)) : ''),
    missed === null ? null : h('span', { class: 'missed' }, missed),
  );
}

/** An arrow and the number of a figure that the scale does not hold. */
function outside(scale: Scale, drawn: Drawn | null, text: string): HTMLElement | null {
  const side = drawn && beyond(scale, drawn.middle);
  if (side === null) return null;
  return h('span', { class: `beyond ${side}`, 'aria-hidden': 'true' }, side === 'right' ? `${text} ▶` : `◀ ${text}`);
}

export function reasonOf({ cell }: Row): string {
  const label = verdictLabel(cell.verdict);
  return cell.reason === null ? label : `${label}: ${cell.reason}`;
}

/** Why figures are not trusted: each reason once, with the names it is about. */
function reasons(rows: Row[]): HTMLElement | null {
  const found = new Map<string, string[]>();
  for (const row of rows.filter(({ cell }) => !cell.value?.trusted)) {
    const reason = reasonOf(row);
    found.set(reason, [...(found.get(reason) ?? []), subjectName(row.subject)]);
  }
  return leftOut(
    'Not ranked',
    [...found].map(([reason, names]) => [names.join(', '), reason]),
  );
}
