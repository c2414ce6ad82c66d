// All frameworks and all kinds of work at once: the ratio to the reference as number and colour, and the reader's own weights.
import type { Context, Shown } from '../app/context';
import {
  type FrameworkRow,
  overview,
  type Standing,
  type Sum,
  sumOf,
  trustedRatio,
  WEIGHTS,
  type Work,
  weightsOf,
  weightsText,
} from '../data/overview';
import { verdictLabel } from '../data/verdicts';
import { select } from '../ui/controls';
import { h } from '../ui/dom';
import { between, date, MISSING, number, rankText } from '../ui/format';
import { notice } from '../ui/notice';

export async function show(context: Context): Promise<Shown> {
  const { works, rows } = await overview(context.store, context.index, context.lane);
  if (works.length === 0)
    return { title: 'Overview', body: [h('h1', {}, 'Overview'), notice('There are no runs yet.')] };
  const weights = weightsOf(context.parameter('weights'), works);
  const summed = rows
    .map(row => ({ row, sum: sumOf(row.standings, weights) }))
    .sort((a, b) => order(a.sum) - order(b.sum) || a.row.name.localeCompare(b.row.name));
  return {
    title: 'Overview',
    body: [
      h('p', { class: 'eyebrow' }, 'CPU time of the server for one request ÷ that of the reference: less is better'),
      h('h1', {}, 'All kinds of work at once'),
      h(
        'p',
        { class: 'reading' },
        'Small: the places that the differences of the session leave, among frameworks and among engines. Grey: measured and not to be trusted. ',
        h('b', {}, 'Together'),
        ' is the geometric mean by your weights, from that of all lower ends to that of all upper ends. It is no score: what it does not know, it says.',
      ),
      grid(context, works, summed),
      weighing(context, works, weights),
    ],
  };
}

/** What is known of all kinds comes first. */
const order = (sum: Sum | null): number => (sum === null ? 1e6 : sum.unknown.length * 1e3 + sum.middle);

function grid(context: Context, works: Work[], rows: { row: FrameworkRow; sum: Sum | null }[]): HTMLElement {
  const kinds = works.filter(({ lane }, place) => works[place - 1]?.lane !== lane);
  const span = (lane: string) => works.filter(work => work.lane === lane).length;
  const heading = ({ lane, scenario }: Work) =>
    h(
      'th',
      { scope: 'col' },
      h('a', { href: context.to('now', null, { lane, scenario: scenario.id }), title: scenario.title }, scenario.id),
    );
  return h(
    'div',
    { class: 'table-box overview', role: 'region', 'aria-label': 'All kinds of work', tabindex: '0' },
    h(
      'table',
      {},
      h('caption', {}, `Newest runs: ${kinds.map(({ kind, run }) => `${kind} of ${date(run.started_at)}`).join(', ')}`),
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          h('th', { scope: 'col', rowspan: '2' }, 'Framework'),
          h('th', { scope: 'col', rowspan: '2' }, 'Together'),
          kinds.map(({ kind, lane }) => h('th', { scope: 'colgroup', colspan: String(span(lane)) }, kind)),
        ),
        h('tr', {}, works.map(heading)),
      ),
      h(
        'tbody',
        {},
        rows.map(({ row, sum }) =>
          h(
            'tr',
            {},
            h('th', { scope: 'row' }, h('a', { href: context.to('framework', row.subject.app) }, row.name)),
            together(sum, works),
            row.standings.map(field),
          ),
        ),
      ),
    ),
  );
}

function together(sum: Sum | null, works: Work[]): HTMLElement {
  if (sum === null) return h('td', { class: 'together' }, MISSING);
  const names = sum.unknown.flatMap(place => works[place]?.scenario.id ?? []);
  return h(
    'td',
    { class: 'together' },
    between(sum.low, sum.high),
    names.length === 0 ? null : h('small', { title: names.join(', ') }, `without ${names.length} of ${works.length}`),
  );
}

function field(standing: Standing | null): HTMLElement {
  if (standing === null) return h('td', {}, MISSING);
  const { value, verdict, notOffered } = standing;
  if (notOffered !== null) return h('td', { class: 'faint', title: notOffered }, 'not offered');
  if (value === null) return h('td', { class: 'faint' }, verdictLabel(verdict));
  const ratio = trustedRatio(standing);
  if (ratio === null) {
    const text = value.ratio === null ? number(value.median) : number(value.ratio);
    return h('td', { class: 'faint', title: verdictLabel(value.verdict) }, `(${text})`);
  }
  return h(
    'td',
    { class: heat(ratio.middle) },
    number(ratio.middle),
    value.rank === null ? null : h('small', {}, rankText(value.rank)),
  );
}

/** From much less than the reference to much more. */
function heat(ratio: number): string {
  if (ratio <= 0.85) return 'less-3';
  if (ratio <= 0.93) return 'less-2';
  if (ratio < 0.98) return 'less-1';
  if (ratio <= 1.02) return 'even';
  if (ratio <= 1.15) return 'more-1';
  return ratio <= 1.5 ? 'more-2' : 'more-3';
}

function weighing(context: Context, works: Work[], weights: number[]): HTMLElement {
  const choose = (place: number, value: string) =>
    context.go({ weights: weightsText(weights.with(place, Number(value)), works) });
  return h(
    'section',
    { class: 'weights' },
    h('h2', {}, 'Your weights'),
    h(
      'p',
      { class: 'faint' },
      'How much each kind of work counts in “Together”. They stand in the address, so that you can share them.',
    ),
    h(
      'div',
      { class: 'control-line' },
      works.map(({ scenario }, place) =>
        select(
          `weight-${scenario.id}`,
          scenario.id,
          WEIGHTS.map(weight => ({ value: String(weight), label: weight === 0 ? 'leave out' : `× ${weight}` })),
          String(weights[place] ?? 1),
          value => choose(place, value),
        ),
      ),
    ),
  );
}
