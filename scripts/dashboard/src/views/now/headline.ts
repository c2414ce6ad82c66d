// The answer in a sentence, and where it comes from.
import type { Context } from '../../app/context';
import type { Metric } from '../../data/metrics';
import { protocolLabel } from '../../data/scenarios';
import type { Band, Row, Snapshot } from '../../data/snapshot';
import { h } from '../../ui/dom';
import { day, figure, number, percent, plural } from '../../ui/format';

const NAMED = 3;

export function headline(groups: Band[], label: string, metric: Metric): HTMLElement {
  const best = groups.find(band => band.rank === 1)?.rows ?? [];
  const first = best[0];
  if (first === undefined) {
    return h('p', { class: 'headline' }, `${label || 'Nothing'}: no figure of this kind is ranked in this run.`);
  }
  const least = metric.better === 'less' ? 'least' : 'most';
  if (best.length === 1) {
    return h(
      'p',
      { class: 'headline' },
      h('b', {}, first.subject.name),
      ` has the ${least} ${metric.label}: ${figure(metric, first.cell.value?.median ?? null)}. `,
      rest(groups, first, metric),
    );
  }
  const names = best
    .slice(0, NAMED)
    .flatMap((row, at) => [at === 0 ? '' : at === best.length - 1 ? ' and ' : ', ', h('b', {}, row.subject.name)]);
  const more = best.length > NAMED ? ` and ${best.length - NAMED} more` : '';
  return h(
    'p',
    { class: 'headline' },
    names,
    more,
    ` lead in ${metric.label}, and cannot be told apart: ${range(best, metric)}. `,
    rest(groups, first, metric),
  );
}

function range(rows: Row[], metric: Metric): string {
  const values = rows.flatMap(({ cell }) => (cell.value ? [cell.value.median / metric.divisor] : []));
  const [low, high] = [number(Math.min(...values)), number(Math.max(...values))];
  return low === high ? `${low} ${metric.unit}` : `${low} to ${high} ${metric.unit}`;
}

/** How many are neither ahead nor behind for certain, because nothing ranks them. */
function unranked(groups: Band[]): string {
  const count = (rank: Band['rank']) =>
    groups.filter(band => band.rank === rank).reduce((sum, { rows }) => sum + rows.length, 0);
  const [unsure, untrusted] = [count(null), count('untrusted')];
  return [
    unsure === 0 ? '' : ` Not ranked, for want of an interval: ${unsure}.`,
    untrusted === 0 ? '' : ` Not trusted: ${untrusted}.`,
  ].join('');
}

/** How far behind the others are, by the ratios to the reference, which rank them. */
function rest(groups: Band[], first: Row, metric: Metric): HTMLElement {
  const behind = groups.flatMap(({ rank, rows }) => (typeof rank === 'number' && rank > 1 ? rows : []));
  const ratios = first.cell.value?.ratio !== null;
  const of = ({ cell: { value } }: Row) => (ratios ? value?.ratio : value?.median) ?? Number.NaN;
  const base = of(first);
  const gaps = behind.map(row => of(row) / base - 1).filter(Number.isFinite);
  if (gaps.length === 0 || !(base > 0)) return h('span', { class: 'rest' }, unranked(groups).trim());
  const [near, far] =
    metric.better === 'less' ? [Math.min(...gaps), Math.max(...gaps)] : [Math.max(...gaps), Math.min(...gaps)];
  const by = gaps.length === 1 ? percent(near) : `${percent(near)} to ${percent(far)}`;
  return h(
    'span',
    { class: 'rest' },
    `Proven to be behind: ${plural(gaps.length, 'other')}, ${by}.${unranked(groups)}`,
  );
}

export function provenance(context: Context, { run, scenario }: Snapshot): HTMLElement {
  const { cpuModel, logicalCpus } = run.machine;
  const facts = [
    cpuModel === null ? null : `${cpuModel}${logicalCpus === null ? '' : `, ${plural(logicalCpus, 'cpu')}`}`,
    run.rustc?.split(' (')[0] ?? null,
    run.rounds === null ? null : plural(run.rounds, 'round'),
    protocolLabel(scenario.protocol),
    scenario.connections === null ? null : plural(scenario.connections, 'connection'),
    context.lane.runs > 0 ? `${plural(context.lane.runs, 'run')} so far` : null,
  ].filter(fact => fact !== null);
  return h(
    'p',
    { class: 'provenance' },
    h('a', { href: context.to('run', run.id) }, `Run of ${day(run.startedAt)}`),
    facts.map(fact => [' · ', fact]),
    run.warnings.length === 0
      ? null
      : [' · ', h('a', { class: 'warn', href: context.to('run', run.id) }, plural(run.warnings.length, 'warning'))],
  );
}
