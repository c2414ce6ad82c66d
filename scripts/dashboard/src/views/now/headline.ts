// The answer in a sentence, and where it comes from.
import type { Context } from '../../app/context';
import { type Basis, drawnBy, type Rounds } from '../../data/figures';
import { type Metric, P99 } from '../../data/metrics';
import { protocolLabel } from '../../data/scenarios';
import type { Row, Snapshot } from '../../data/snapshot';
import type { Run } from '../../data/types';
import { type Children, h } from '../../ui/dom';
import { machines, plural, ratioText, rowTexts, span } from '../../ui/format';
import { measuredOn } from '../../ui/parts';

/**
 * `rows` share a kind and are in order: the first of them has the least. Who else may have as little, and who is behind, their ranks say
 * alone. The figures are those of the rows.
 */
export function headline(rows: Row[], label: string, metric: Metric, basis: Basis, run: Run): HTMLElement {
  const trusted = rows.flatMap(({ subject, cell: { value } }) =>
    value?.trusted ? [{ name: subject.name, value }] : [],
  );
  const ranked = trusted.filter(({ value }) => value.rank !== null);
  const known = trusted.filter(({ value }) => drawnBy(value, basis, metric) !== null);
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) {
    const why =
      rows.length === 0 ? 'nothing was measured' : 'no figure here can be trusted; the reasons are below them';
    return said(`${label || 'Nothing'}: ${why}.`);
  }
  const figure = ({ value }: typeof first) =>
    basis === 'ratio' ? ratioText(value) : rowTexts(value, basis, metric).main;
  const of = (some: (typeof first)[]) => span(some.map(figure));
  if (metric === P99) {
    const text = `${label}: 99 % of the answers came within ${of(known)}, of ${first.name} soonest and of ${last.name} last.`;
    return said(text, ' A tail is shown and ranks nobody.');
  }
  const [name, unit] = [h('b', {}, first.name), basis === 'ratio' ? ` of the reference on ${machines([run])}` : ''];
  const own = basis === 'own work' ? 'own work ' : '';
  if (ranked.length === 0) {
    const ends = first === last ? first.name : `${first.name} to ${last.name}`;
    return said(`${label}: ${metric.label}, ${own}${of(known)}${unit}: ${ends}.`, ' This run ranks nobody here.');
  }
  const [least, little] = metric.better === 'less' ? ['least', 'little'] : ['most', 'much'];
  // A rank that is for other sessions, too, may begin with 1 although the figure of this one is not the best.
  const [elsewhere, here] = first.value.sessions === null ? ['', ' in this session'] : [' in another session', ''];
  const others = ranked.filter(each => each !== first);
  const open = others.filter(({ value }) => value.rank?.best === 1).length;
  const behind = others.filter(({ value }) => value.rank?.best !== 1);
  const mayHave = open === 0 ? '' : `; ${plural(open, 'other')} may have as ${little}${elsewhere}`;
  const doubt = first.value.rank?.best === 1 ? mayHave : '; nobody can be called first';
  return said(
    [`${label}: `, name, ` has the ${least} ${metric.label}, ${own}${figure(first)}${unit}${doubt}. `],
    (behind.length === 0
      ? ''
      : `${behind.length} ${behind.length === 1 ? 'is' : 'are'} behind${here}: ${of(behind)}.`) + unranked(rows),
  );
}

const said = (answer: Children, rest = ''): HTMLElement =>
  h('p', { class: 'headline' }, answer, h('span', { class: 'rest' }, rest));

/** How many are neither ahead nor behind for certain, because nothing ranks them. */
function unranked(rows: Row[]): string {
  const untrusted = rows.filter(({ cell }) => !cell.value?.trusted).length;
  const unsure = rows.filter(({ cell }) => cell.value?.trusted && cell.value.rank === null).length;
  return [unsure === 0 ? '' : ` Not ranked: ${unsure}.`, untrusted === 0 ? '' : ` Not trusted: ${untrusted}.`].join('');
}

export const provenance = (context: Context, { run, scenario }: Snapshot, rounds: Rounds): HTMLElement | null =>
  measuredOn(
    context,
    [{ run }],
    run.rustc.split(' (')[0],
    roundsText(rounds),
    protocolLabel(scenario.protocol),
    plural(scenario.connections, 'connection'),
    context.lane.runs > 0 ? `${plural(context.lane.runs, 'run')} so far` : null,
    run.warnings.length === 0
      ? null
      : h('a', { class: 'warn', href: context.to('run', run.id) }, plural(run.warnings.length, 'warning')),
  );

/** `6 rounds`, or `5 of 6 rounds` where no figure has them all. */
function roundsText({ planned, most }: Rounds): string | null {
  if (planned === null) return null;
  return most !== null && most < planned ? `${most} of ${plural(planned, 'round')}` : plural(planned, 'round');
}
