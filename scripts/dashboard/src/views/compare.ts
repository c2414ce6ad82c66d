// Compare: two frameworks in all work that their runs gave both, or one run with another. The left one is judged against the right one.
import type { Context, Shown } from '../app/context';
import { differences, toneOf } from '../charts/differences';
import { type Failed, failedRules } from '../data/breaks';
import type { Value } from '../data/figures';
import type { Judgement } from '../data/judge';
import { subjectName, versionOf } from '../data/names';
import { kindsToCompare, type Line, linesOf, type Tally, tallies } from '../data/pair';
import { runsOf } from '../data/runs';
import { fullTitle } from '../data/scenarios';
import { fold, segmented } from '../ui/controls';
import { h, link } from '../ui/dom';
import {
  coverage,
  figure,
  inBrackets,
  MISSING,
  machines,
  number,
  ownWork,
  percent,
  plural,
  rankText,
  rowTexts,
  span,
  timesText,
} from '../ui/format';
import { pairChoice } from '../ui/pair';
import { AS_TABLE, emptyView, eyebrow, judgedText, measuredOn, notice, OWN_WORK, reading, titled } from '../ui/parts';
import { share } from '../ui/share';
import { table } from '../ui/table';
import { compareRuns } from './compare/runs';

export async function show(context: Context): Promise<Shown> {
  const ofRuns =
    context.parameter('of') === 'runs' || (context.parameter('of') === null && context.parameter('a') !== null);
  const what = segmented(
    'of',
    'What',
    [
      { value: 'frameworks', label: 'two frameworks' },
      { value: 'runs', label: 'two runs' },
    ],
    ofRuns ? 'runs' : 'frameworks',
    value => context.go({ of: value, a: null, b: null, page: null }),
  );
  const { title, body } = ofRuns ? await compareRuns(context) : await compareFrameworks(context);
  return { title, body: [eyebrow('Compare'), body, h('div', { class: 'controls' }, what)] };
}

const hasOwnWork = (value: Value | null): value is Value => (value?.own_work ?? null) !== null;
const byOwnWork = (one: Value, other: Value): number => (one.own_work ?? 0) - (other.own_work ?? 0);

type Part = Pick<Shown, 'title' | 'body'>;

async function compareFrameworks(context: Context): Promise<Part> {
  const pinned = context.parameter('run')?.split(',') ?? [];
  const [kinds, failed] = await Promise.all([
    kindsToCompare(context.store, context.index, context.lane, pinned),
    failedRules(context.store),
  ]);
  if (typeof kinds === 'string' || kinds.names.size === 0)
    return emptyView('Compare', typeof kinds === 'string' ? kinds : 'There are no runs yet.', 'Two frameworks');
  const options = [...kinds.names]
    .map(([label, value]) => ({ label, value }))
    .sort((x, y) => x.label.localeCompare(y.label));
  const { left, right, controls } = pairChoice(context, options, ['left', 'Framework'], ['right', 'against']);
  const name = (key: string) => options.find(({ value }) => value === key)?.label ?? key;
  const [a, b] = [name(left), name(right)];
  const lines = linesOf(kinds, a, b);
  const tails = linesOf(kinds, a, b, true);
  const runs = runsOf(lines).map(({ id }) => id);
  const found = tallies(lines);
  const charts = h(
    'div',
    {},
    found.map(({ kind, lines }) =>
      titled(
        kind,
        differences(
          [...lines, ...tails.filter(tail => tail.kind === kind)].map(line => ({
            kind: toneOf(line.judgement),
            name: labelOf(line),
            drawn: line.judgement.ratio,
            words: inWords(line, a, b),
          })),
          { head: `${a} against ${b}`, same: 'same' },
        ),
      ),
    ),
  );
  const versions = kinds.runs.flatMap(({ found: { period } }) =>
    [...period.subjects.values()]
      .filter(subject => [a, b].includes(subjectName(subject)))
      .map(subject => `${subjectName(subject)} ${versionOf(period, subject.key)}`),
  );
  return {
    title: `${a} or ${b}?`,
    body: [
      h('h1', {}, `${a} or ${b}?`),
      measuredOn(
        context,
        lines,
        pinned.length > 0 && link(context.to('compare', null, { left, right }), 'newest runs'),
      ),
      controls,
      lines.length === 0
        ? notice(`No run gave ${a} and ${b} the same work.`)
        : h(
            'div',
            { class: 'sentences' },
            found.map(tally => h('p', {}, sentence(tally, a, b))),
            tailSentence(lines, tails, a, b).map(text => h('p', {}, text)),
            h('p', {}, rules(failed, [left, a], [right, b])),
          ),
      share(context, {
        title: `${a} or ${b}?`,
        of: lines,
        versions,
        pinned: { left, right, run: runs.join(',') },
        chart: charts,
      }),
      charts,
      fold('figures', AS_TABLE, () => [figures([...lines, ...tails], a, b)]),
      method(lines),
    ],
  };
}

/** `Actix Web is ahead of Axum in 3 of 5 kinds of work: own work 14 ±9 to 16 ±9 against 24 ±9 to 28 ±9.` */
export function sentence({ kind, lines, ahead, behind, alike }: Tally, a: string, b: string): string {
  const of = `of ${plural(lines.length, 'kind')} of work`;
  if (ahead.length > 0 && behind.length > 0)
    return `${kind}: ${a} is ahead of ${b} in ${ahead.length} ${of} (${sizes(ahead)}), ${b} in ${behind.length} (${sizes(behind, true)}).`;
  if (ahead.length > 0) return `${kind}: ${a} is ahead of ${b} in ${ahead.length} ${of}: ${sizes(ahead)}.`;
  if (behind.length > 0) return `${kind}: ${b} is ahead of ${a} in ${behind.length} ${of}: ${sizes(behind, true)}.`;
  if (alike.length === 0) return `${kind}: there are no figures of both that can be compared.`;
  const most = Math.max(...alike.flatMap(({ judgement }) => boundsOf(judgement).map(end => Math.abs(end - 1))));
  return `${kind}: too close to call in ${alike.length} ${of}; they differ by at most ${percent(most).slice(1)}${onMachine(alike)}.`;
}

const boundsOf = ({ ratio }: Judgement): number[] => [ratio?.low, ratio?.high].flatMap(end => end ?? []);

const onMachine = (lines: Line[]): string => ` on ${machines(lines.map(({ run }) => run))}, with 95 %`;

/** The own work of both, of the left one first or of the right one; where that is not known, where the intervals of their ratio lie. */
function sizes(lines: Line[], ofRight = false): string {
  const known = lines.flatMap(({ a, b }) => (hasOwnWork(a) && hasOwnWork(b) ? [ofRight ? [b, a] : [a, b]] : []));
  if (known.length > 0) {
    const [own, other] = [0, 1].map(side =>
      span(
        known
          .flatMap(pair => pair[side] ?? [])
          .sort(byOwnWork)
          .map(ownWork),
      ),
    );
    return `own work ${own} against ${other}${known.length < lines.length ? ', where that is known' : ''}`;
  }
  // More of a capacity is better, so its size cannot stand among the sizes of costs.
  const costs = lines.filter(({ metric }) => metric.better === 'less');
  const sized = costs.length === 0 ? lines : costs;
  const found = sized.flatMap(({ judgement }) => boundsOf(judgement).map(end => (ofRight ? 1 / end : end) - 1));
  const ends = found.sort((x, y) => Math.abs(x) - Math.abs(y)).map(end => percent(end).slice(1));
  const less = (found.at(-1) ?? 0) < 0 ? 'less' : 'more';
  const of = sized.every(({ metric }) => metric.id === sized[0]?.metric.id) ? sized[0]?.metric.label : null;
  return `${span(ends)} ${less} ${of?.replace(/^Latency/, 'latency') ?? 'CPU time or latency'}${onMachine(sized)}`;
}

/** Of latencies also which. */
const labelOf = ({ scenario, period, metric }: Line): string =>
  fullTitle(scenario, period.scenarios) + (scenario.load.model === 'open' ? `, ${metric.label.split(' ').at(-1)}` : '');

/** Within what time 99 % of the answers came, at each rate with enough requests; that there were too few, if so. */
function tailSentence(lines: Line[], tails: Line[], a: string, b: string): string[] {
  const said = tails.flatMap(({ scenario, a: left, b: right, metric }) => {
    if (scenario.load.model !== 'open' || !left?.trusted || !right?.trusted) return [];
    const within = (name: string, value: Value) => {
      const { main, rest } = rowTexts(value, 'figure', metric);
      return `${name} ${main}${inBrackets(rest)}`;
    };
    const rate = scenario.load.rate_rps.toLocaleString('en');
    return `p99 at ${rate} requests a second: ${within(a, left)}, ${within(b, right)}.`;
  });
  const few = lines.some(({ scenario }) => scenario.load.model === 'open') && tails.length === 0;
  return few ? ['Too few requests for p99.'] : said;
}

function rules(failed: Failed, ...two: [string, string][]): string {
  const known = two.flatMap(([key, name]) => (failed(key) === undefined ? [] : [`${name} ${failed(key)}`]));
  return known.length === 0 ? '' : `Mandatory HTTP rules broken: ${known.join(', ')}.`;
}

export function inWords({ judgement, a, b, metric }: Line, left: string, right: string): string {
  const said = judgedText(judgement, better => `${better ? left : right} ahead`);
  if (a === null || b === null) return said;
  const own = hasOwnWork(a) && hasOwnWork(b) ? `own work ${ownWork(a)} and ${ownWork(b)} · ` : '';
  // A median is of all rounds, the ratio of those that both shared: figures that say the opposite are in the table only.
  const agrees = judgement.ratio === null || a.median < b.median === judgement.ratio.middle < 1;
  return own + said + (agrees ? ` · ${number(a.median / metric.divisor)} and ${figure(metric, b.median)}` : '');
}

function figures(lines: Line[], a: string, b: string): HTMLElement {
  return table(
    `${a} and ${b}`,
    [
      { label: 'Kind of work', cell: labelOf },
      { label: 'Runs', cell: ({ kind }) => kind },
      { label: 'Figure', cell: ({ metric }) => metric.label },
      { label: a, figure: true, cell: line => figure(line.metric, line.a?.median ?? null) },
      { label: `${a}, own work`, figure: true, cell: ({ a }) => (a ? ownWork(a) : MISSING) },
      { label: `${a}, rank`, figure: true, cell: line => rankText(line.a?.rank ?? null) },
      { label: b, figure: true, cell: line => figure(line.metric, line.b?.median ?? null) },
      { label: `${b}, own work`, figure: true, cell: ({ b }) => (b ? ownWork(b) : MISSING) },
      { label: `${b}, rank`, figure: true, cell: line => rankText(line.b?.rank ?? null) },
      { label: `${a} ÷ ${b}`, figure: true, cell: ({ judgement }) => timesText(judgement.ratio) },
      { label: 'Judgement', cell: ({ judgement }) => judgedText(judgement, better => `${better ? a : b} ahead`) },
    ],
    lines,
  );
}

function method(lines: Line[]): HTMLElement {
  const covers = coverage(...lines.flatMap(({ a }) => a ?? []));
  return reading(
    `${OWN_WORK} The ratio is from the rounds that both shared, with its own 95 % interval, which covers ${covers}. “Ahead” is who was told apart with 95 % for all work of the run together, as by “bench report --pair”; ranks take more, for they hold for all pairs at once.`,
  );
}
