// The answer in a sentence, and where it comes from.
import type { Context } from '../../app/context';
import type { Rounds } from '../../data/figures';
import { type Metric, P99 } from '../../data/metrics';
import { protocolLabel } from '../../data/scenarios';
import { type Row, rankedBy, type Snapshot } from '../../data/snapshot';
import { type Children, h } from '../../ui/dom';
import { number, plural } from '../../ui/format';
import { runLink } from '../../ui/parts';

const NAMED = 3;

/** `rows` share a kind and are in order; their ranks alone say who leads and who is behind. */
export function headline(rows: Row[], label: string, metric: Metric, byRatio: boolean): HTMLElement {
  const ranked = rows.flatMap(row => (row.cell.value?.rank ? [{ row, rank: row.cell.value.rank }] : []));
  const leading = ranked.filter(({ rank }) => rank.best === 1).map(({ row }) => row);
  const behind = ranked.filter(({ rank }) => rank.best > 1).map(({ row }) => row);
  const first = leading[0];
  const trusted = rows.filter(({ cell }) => cell.value?.trusted);
  if (metric === P99 && trusted.length > 0) {
    const [least, most] = [trusted[0], trusted.at(-1)].map(row => row?.subject.name);
    const text = `${label}: 99 % of the answers came within ${range(trusted, metric, byRatio)}, of ${least} soonest and of ${most} last.`;
    return said(text, ' A tail is shown and ranks nobody.');
  }
  if (first === undefined) {
    return said(
      `${label || 'Nothing'}: nothing to rank. On this machine the load generator, or the work itself, was slower than every server.`,
    );
  }
  if (ranked.length === 1) {
    const only = `: ${range(leading, metric, byRatio)}. Nobody is there to rank it among.`;
    const name = h('b', {}, first.subject.name);
    return said(['Of these only ', name, ` is ranked by ${metric.label}${only}`], unranked(rows));
  }
  const least = metric.better === 'less' ? 'least' : 'most';
  const here = leading.every(row => row.cell.value?.sessions === null) ? ' in this session' : '';
  const at = (some: Row[]) => range(some, metric, byRatio);
  const rest =
    (behind.length === 0
      ? `All are tied${here}.`
      : `The ${plural(behind.length, 'other')} ${behind.length === 1 ? 'is' : 'are'} behind${here}: ${at(behind)}.`) +
    unranked(rows);
  const names = leading
    .slice(0, NAMED)
    .flatMap((row, place) => [
      place === 0 ? '' : place === leading.length - 1 ? ' and ' : ', ',
      h('b', {}, row.subject.name),
    ]);
  const more = leading.length > NAMED ? ` and ${leading.length - NAMED} more` : '';
  const have = leading.length === 1 ? 'has' : 'are tied for';
  return said([names, more, ` ${have} the ${least} ${metric.label}: ${at(leading)}. `], rest);
}

const said = (answer: Children, rest = ''): HTMLElement =>
  h('p', { class: 'headline' }, answer, h('span', { class: 'rest' }, rest));

function range(rows: Row[], metric: Metric, byRatio: boolean): string {
  const values = rows.flatMap(({ cell: { value } }) => {
    const figure = value === null ? null : rankedBy(value, byRatio);
    return figure === null ? [] : [byRatio ? figure : figure / metric.divisor];
  });
  const [low, high] = [number(Math.min(...values)), number(Math.max(...values))];
  const unit = byRatio ? '× the reference' : ` ${metric.unit}`;
  return (low === high ? low : `${low} to ${high}`) + unit;
}

/** How many are neither ahead nor behind for certain, because nothing ranks them. */
function unranked(rows: Row[]): string {
  const untrusted = rows.filter(({ cell }) => !cell.value?.trusted).length;
  const unsure = rows.filter(({ cell }) => cell.value?.trusted && cell.value.rank === null).length;
  return [unsure === 0 ? '' : ` Not ranked: ${unsure}.`, untrusted === 0 ? '' : ` Not trusted: ${untrusted}.`].join('');
}

export function provenance(context: Context, { run, scenario }: Snapshot, rounds: Rounds): HTMLElement {
  const { cpu_model, logical_cpus } = run.machine;
  const facts = [
    `${cpu_model}, ${plural(logical_cpus, 'cpu')}`,
    run.rustc.split(' (')[0],
    roundsText(rounds),
    protocolLabel(scenario.protocol),
    plural(scenario.connections, 'connection'),
    context.lane.runs > 0 ? `${plural(context.lane.runs, 'run')} so far` : null,
  ];
  return h(
    'p',
    { class: 'provenance' },
    runLink(context, run, 'Run of '),
    facts.map(fact => fact && [' · ', fact]),
    run.warnings.length === 0
      ? null
      : [' · ', h('a', { class: 'warn', href: context.to('run', run.id) }, plural(run.warnings.length, 'warning'))],
  );
}

/** `6 rounds`, or `5 of 6 rounds` where no figure has them all. */
function roundsText({ planned, most }: Rounds): string | null {
  if (planned === null) return null;
  return most !== null && most < planned ? `${most} of ${plural(planned, 'round')}` : plural(planned, 'round');
}
