// The ranking: one line for each framework with its interval on an axis that all share, in bands of those that cannot be told
// apart. What is not trusted stands at the end, grey and hollow, with its reason.

import type { Metric } from '../data/metrics';
import type { Band, Row } from '../data/snapshot';
import { verdictLabel } from '../data/verdicts';
import { h, place, s } from '../ui/dom';
import { figure, number, ratio, tick as tickText } from '../ui/format';
import { type Scale, scaleOf } from './scale';

export interface Group {
  label: string;
  bands: Band[];
}

export interface Ranking {
  element: HTMLElement;
  /** Where the sparkline of a subject goes, once its history is there. */
  sparks: Map<string, HTMLElement>;
}

export interface RankingOptions {
  metric: Metric;
  /** Ratios to the reference instead of figures. */
  relative: boolean;
  reference: number | null;
  addressOf: (row: Row) => string;
}

export function ranking(groups: Group[], options: RankingOptions): Ranking {
  const shown = groups.flatMap(group => group.bands.flatMap(band => band.rows));
  const scale = scaleOf(shown.flatMap(row => ends(row, options)));
  const sparks = new Map<string, HTMLElement>();
  const element = h(
    'div',
    { class: 'ranking' },
    axis(scale, options),
    groups.map(group =>
      h(
        'section',
        { class: 'group' },
        h('h3', {}, group.label),
        group.bands.map(band => bandOf(band, scale, options, sparks)),
      ),
    ),
  );
  return { element, sparks };
}

interface Drawn {
  median: number;
  low: number | null;
  high: number | null;
}

function drawn(row: Row, { relative, metric }: RankingOptions): Drawn | null {
  const { value } = row.cell;
  if (value === null) return null;
  if (!relative) {
    const unit = (figure: number | null) => (figure === null ? null : figure / metric.divisor);
    return { median: value.median / metric.divisor, low: unit(value.low), high: unit(value.high) };
  }
  return value.ratio === null ? null : { median: value.ratio, low: value.ratioLow, high: value.ratioHigh };
}

const ends = (row: Row, options: RankingOptions): number[] => {
  const value = drawn(row, options);
  return value === null ? [] : [value.median, value.low ?? value.median, value.high ?? value.median];
};

function axis(scale: Scale, { metric, relative, reference }: RankingOptions): HTMLElement {
  const at = reference === null ? null : scale.percent(relative ? 1 : reference / metric.divisor);
  const better = metric.better === 'less' ? '← better' : 'better →';
  return h(
    'div',
    { class: 'row axis', 'aria-hidden': 'true' },
    h('span', { class: 'name' }, h('span', { class: 'better' }, better)),
    h(
      'span',
      { class: 'plot' },
      scale.ticks.map(tick => place(h('span', { class: 'tick' }, tickText(tick)), { left: `${scale.percent(tick)}%` })),
      at === null || at < 0 || at > 100
        ? null
        : place(h('span', { class: 'tick reference' }, 'reference'), { left: `${at}%` }),
    ),
    h('span', { class: 'value' }, relative ? '× reference' : metric.unit),
    h('span', { class: 'ratio' }, relative ? metric.unit : '× ref.'),
    h('span', { class: 'spark' }, '6 months'),
  );
}

function bandOf(band: Band, scale: Scale, options: RankingOptions, sparks: Map<string, HTMLElement>): HTMLElement {
  const { rank } = band;
  const [mark, title] =
    rank === 'untrusted'
      ? ['!', 'Not trusted, not ranked']
      : rank === null
        ? ['·', 'Trusted, not ranked']
        : [String(rank), `Rank tier ${rank}`];
  const kind =
    rank === 'untrusted'
      ? 'untrusted'
      : rank === null
        ? 'unranked'
        : rank === 1
          ? 'best'
          : rank === 2
            ? 'second'
            : 'later';
  return h(
    'div',
    { class: `band ${kind}`, role: 'group', 'aria-label': title },
    h('span', { class: 'tier', title, 'aria-hidden': 'true' }, mark),
    h(
      'ol',
      {},
      band.rows.map(row => line(row, scale, options, sparks)),
    ),
  );
}

function line(row: Row, scale: Scale, options: RankingOptions, sparks: Map<string, HTMLElement>): HTMLElement {
  const { subject, version, cell } = row;
  const { value } = cell;
  const { metric, relative } = options;
  const spark = h('span', { class: 'spark' });
  sparks.set(subject.key, spark);
  const trusted = value?.trusted ?? false;
  const main = relative ? ratio(value?.ratio ?? null) : figure(metric, value?.median ?? null);
  const side = relative ? figure(metric, value?.median ?? null) : ratio(value?.ratio ?? null);
  const ends = drawn(row, options);
  const between =
    ends === null || ends.low === null || ends.high === null ? '' : `${number(ends.low)} to ${number(ends.high)}`;
  return h(
    'li',
    { class: 'row' },
    h(
      'span',
      { class: 'name' },
      h('a', { href: options.addressOf(row) }, subject.name),
      subject.variant === 'default' ? null : h('span', { class: 'variant' }, subject.variant),
      version === null ? null : h('span', { class: 'version' }, version),
    ),
    h('span', { class: 'plot' }, bar(row, scale, options)),
    value === null
      ? h('span', { class: 'value' }, '–')
      : h('span', { class: 'value' }, h('b', {}, main), h('span', { class: 'between' }, between)),
    h('span', { class: 'ratio' }, value === null || value.ratio === null ? '' : side),
    spark,
    trusted ? null : h('span', { class: 'reason' }, reasonOf(row)),
  );
}

export function reasonOf({ cell }: Row): string {
  const label = verdictLabel(cell.verdict);
  return cell.reason === null ? label : `${label}: ${cell.reason}`;
}

function bar(row: Row, scale: Scale, options: RankingOptions): SVGElement {
  const value = drawn(row, options);
  const { metric, relative, reference } = options;
  const x = (figure: number) => `${scale.percent(figure)}%`;
  const upright = (at: number, kind: string) => s('line', { class: kind, x1: x(at), x2: x(at), y1: '0', y2: '100%' });
  const zero = reference === null ? null : relative ? 1 : reference / metric.divisor;
  return s(
    'svg',
    { 'aria-hidden': 'true' },
    scale.ticks.map(tick => upright(tick, 'grid')),
    zero === null ? null : upright(zero, 'zero'),
    value === null || value.low === null || value.high === null
      ? null
      : s('line', { class: 'whisker', x1: x(value.low), x2: x(value.high), y1: '50%', y2: '50%' }),
    value === null ? null : s('circle', { class: 'median', cx: x(value.median), cy: '50%', r: '4' }),
  );
}
