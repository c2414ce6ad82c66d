// Compare: two frameworks in all work that their runs gave both, or one run with another. The left one is judged against the right one.
import type { Context, Shown } from '../app/context';
import { differences, drawnOf, toneOf } from '../charts/differences';
import { failedRules } from '../data/breaks';
import { kindsToCompare, type Line, linesOf, type Tally, tallies } from '../data/pair';
import { fullTitle } from '../data/scenarios';
import { button, fold, segmented, select } from '../ui/controls';
import { copyLink } from '../ui/copy-link';
import { h } from '../ui/dom';
import { figure, MISSING, number, percent, plural, rankText } from '../ui/format';
import { AS_TABLE, controlLine, emptyView, how, judgedText, notice, runLink, titled } from '../ui/parts';
import { table } from '../ui/table';
import { compareRuns } from './compare/runs';

/** The pair that somebody sees who has not chosen: the two that most people choose between. */
const FIRST = ['axum', 'actix-web'];

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
  return { title, body: [h('p', { class: 'eyebrow' }, 'Compare'), body, h('div', { class: 'controls' }, what)] };
}

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
  const pick = (name: string, not: string | null) => {
    const wanted = [context.parameter(name), ...FIRST, ...options.map(({ value }) => value)];
    return wanted.find(key => key !== not && options.some(({ value }) => value === key)) ?? '';
  };
  const left = pick('left', null);
  const right = pick('right', left);
  const name = (key: string) => options.find(({ value }) => value === key)?.label ?? key;
  const [a, b] = [name(left), name(right)];
  const lines = linesOf(kinds, a, b);
  const tails = linesOf(kinds, a, b, true);
  const runs = [...new Map(lines.map(({ run }) => [run.id, run])).values()];
  return {
    title: `${a} or ${b}?`,
    body: [
      h('h1', {}, `${a} or ${b}?`),
      controlLine(
        select('left', 'Framework', options, left, value => context.go({ left: value, right })),
        button('swap', '⇄ swap', () => context.go({ left: right, right: left })),
        select('right', 'against', options, right, value => context.go({ right: value, left })),
        copyLink(context, { left, right, run: runs.map(({ id }) => id).join(',') }),
      ),
      lines.length === 0
        ? notice(`No run gave ${a} and ${b} the same work.`)
        : h(
            'div',
            { class: 'sentences' },
            tallies(lines).map(tally => h('p', {}, sentence(tally, a, b))),
            tailSentence(lines, tails, a, b).map(text => h('p', {}, text)),
            h('p', {}, [share(lines, a, b), rules(failed, [left, a], [right, b])].join(' ')),
          ),
      ...tallies(lines).map(({ kind, lines }) =>
        titled(
          kind,
          differences(
            [...lines, ...tails.filter(tail => tail.kind === kind)].map(line => ({
              kind: `${toneOf(line.judgement)} ${line.judgement.kind}`,
              name: labelOf(line),
              drawn: drawnOf(line.judgement),
              words: inWords(line, a, b),
            })),
            { head: `${a} against ${b}`, same: 'same' },
          ),
        ),
      ),
      fold('figures', AS_TABLE, () => [figures([...lines, ...tails], a, b)]),
      h(
        'p',
        { class: 'provenance' },
        'Runs of ',
        runs.map((run, place) => [place === 0 ? '' : ', ', runLink(context, run)]),
        pinned.length > 0 ? [' · ', h('a', { href: context.to('compare', null, { left, right }) }, 'newest runs')] : '',
      ),
      method(lines),
    ],
  };
}

/** `Actix Web is ahead of Axum in 3 of 5 kinds of work: it needs 6 to 7 % less.` */
export function sentence({ kind, lines, ahead, behind, alike }: Tally, a: string, b: string): string {
  const of = `of ${plural(lines.length, 'kind')} of work`;
  if (ahead.length > 0 && behind.length > 0)
    return `${kind}: ${a} is ahead of ${b} in ${ahead.length} ${of} (${sizes(ahead)}), ${b} in ${behind.length} (${sizes(behind, true)}).`;
  if (ahead.length > 0) return `${kind}: ${a} is ahead of ${b} in ${ahead.length} ${of}, with ${sizes(ahead)}.`;
  if (behind.length > 0)
    return `${kind}: ${b} is ahead of ${a} in ${behind.length} ${of}, with ${sizes(behind, true)}.`;
  if (alike.length === 0) return `${kind}: there are no figures of both that can be compared.`;
  const most = Math.max(
    ...alike.map(({ judgement }) => (judgement.kind === 'alike' ? Math.max(1 - judgement.low, judgement.high - 1) : 0)),
  );
  return `${kind}: too close to call in ${alike.length} ${of}; they differ by at most ${percent(most).slice(1)}.`;
}

/** `6.5 to 7.0 % less CPU per request`: of the left one, or of the right one. */
function sizes(lines: Line[], ofRight = false): string {
  // More of a capacity is better, so its size cannot stand among the sizes of costs.
  const costs = lines.filter(({ metric }) => metric.better === 'less');
  const sized = costs.length === 0 ? lines : costs;
  const found = sized.flatMap(({ judgement }) =>
    judgement.kind === 'apart' ? (ofRight ? 1 / judgement.middle : judgement.middle) - 1 : [],
  );
  const [low, high] = [Math.min, Math.max].map(end => percent(end(...found.map(Math.abs))).slice(1));
  const less = (found[0] ?? 0) < 0 ? 'less' : 'more';
  const range = low === high ? high : `${low?.replace('\u00a0%', '')} to ${high}`;
  const of = sized.every(({ metric }) => metric.id === sized[0]?.metric.id) ? sized[0]?.metric.label : null;
  return `${range} ${less} ${of?.replace(/^Latency/, 'latency') ?? 'CPU time or latency'}`;
}

/** Of latencies also which. */
const labelOf = ({ scenario, period, metric }: Line): string =>
  fullTitle(scenario, period.scenarios) + (scenario.load.model === 'open' ? `, ${metric.label.split(' ').at(-1)}` : '');

/** Within what time 99 % of the answers came, at each rate with enough requests; that there were too few, if so. */
function tailSentence(lines: Line[], tails: Line[], a: string, b: string): string[] {
  const said = tails.flatMap(({ scenario, a: left, b: right, judgement, metric }) => {
    if (scenario.load.model !== 'open' || !left?.trusted || !right?.trusted) return [];
    const close = judgement.kind === 'alike' ? ', too close to call' : '';
    const rate = scenario.load.rate_rps.toLocaleString('en');
    return `p99 at ${rate} requests a second: ${a} ${figure(metric, left.median)}, ${b} ${figure(metric, right.median)}${close}.`;
  });
  const few = lines.some(({ scenario }) => scenario.load.model === 'open') && tails.length === 0;
  return few ? ['Too few requests for p99.'] : said;
}

/** What the difference is worth at a rate that many servers have. */
function share(lines: Line[], a: string, b: string): string {
  const json = lines.find(({ scenario }) => scenario.id === 'hello');
  if (!json?.a?.trusted || !json.b?.trusted) return '';
  const us = json.a.median - json.b.median;
  return `At 10,000 JSON answers a second ${us < 0 ? b : a} needs ${percent(Math.abs(us) / 100).slice(1)} of one core more.`;
}

function rules(failed: Map<string, number>, ...two: [string, string][]): string {
  const known = two.flatMap(([key, name]) => (failed.has(key) ? [`${name} ${failed.get(key)}`] : []));
  return known.length === 0 ? '' : `Mandatory HTTP rules broken: ${known.join(', ')}.`;
}

function inWords({ judgement, a, b, metric }: Line, left: string, right: string): string {
  const both = `${number((a?.median ?? 0) / metric.divisor)} and ${figure(metric, b?.median ?? null)}`;
  const said = judgedText(judgement, better => `${better ? left : right} ahead`);
  return a === null || b === null ? said : `${said} · ${both}`;
}

function figures(lines: Line[], a: string, b: string): HTMLElement {
  const ratio = ({ judgement }: Line) =>
    judgement.kind === 'unjudged'
      ? MISSING
      : `${number(judgement.middle)} (${number(judgement.low)} to ${number(judgement.high)})`;
  return table(
    `${a} and ${b}`,
    [
      { label: 'Kind of work', cell: labelOf },
      { label: 'Runs', cell: ({ kind }) => kind },
      { label: 'Figure', cell: ({ metric }) => metric.label },
      { label: a, figure: true, cell: line => figure(line.metric, line.a?.median ?? null) },
      { label: `${a}, rank`, figure: true, cell: line => rankText(line.a?.rank ?? null) },
      { label: b, figure: true, cell: line => figure(line.metric, line.b?.median ?? null) },
      { label: `${b}, rank`, figure: true, cell: line => rankText(line.b?.rank ?? null) },
      { label: `${a} ÷ ${b}`, figure: true, cell: ratio },
      { label: 'Judgement', cell: ({ judgement }) => judgedText(judgement, better => `${better ? a : b} ahead`) },
    ],
    lines,
  );
}

function method(lines: Line[]): HTMLElement {
  const sessions = lines.flatMap(({ a }) => a?.sessions ?? []);
  const covers =
    sessions.length === 0
      ? 'What is said holds with 95 % for this session: this machine, these programs and this hour; another session may reverse it.'
      : `Where the run knows at least four sessions (${sessions.length} of ${lines.length} kinds of work), what is said holds with 95 % for another session too; elsewhere for this session only.`;
  return how(
    `The ratio is from the rounds that both shared, with its own 95 % interval; “ahead” is who has an interval that leaves out “same”. One of 20 intervals is wrong by chance. Ranks take more, for they hold for all pairs at once: two may share a rank here and not be “too close to call”. ${covers}`,
  );
}
