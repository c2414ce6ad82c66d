// The start page: all frameworks at once by what the reader's service does, as differences to one of them.
import type { Context, Shown } from '../app/context';
import { failedRules } from '../data/breaks';
import type { Bounded } from '../data/judge';
import { KNOWN } from '../data/names';
import {
  type FrameworkRow,
  overview,
  presetsOf,
  relative,
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
import { checks, fold, segmented, select } from '../ui/controls';
import { cellsOf, csvButton } from '../ui/csv';
import { h } from '../ui/dom';
import { date, difference, MISSING, number, rankText } from '../ui/format';
import { controlLine, emptyView, faint } from '../ui/parts';
import { columnHead, tableBox } from '../ui/table';
import { MANY } from './now/breaks';

/** What stands apart from the frameworks, and only by choice. */
const APART = [
  { value: 'engine', label: 'Engines', title: 'Engines: HTTP without a framework' },
  { value: 'legacy', label: 'Legacy', title: 'Legacy, no longer maintained' },
] as const;

interface Line {
  row: FrameworkRow;
  /** By the ratios to the reference: the order. */
  sum: Sum | null;
}

export async function show(context: Context): Promise<Shown> {
  const presets = presetsOf(context.index, context.lane);
  const own = context.parameter('weights');
  const preset = presets.find(({ id }) => id === (own === null ? context.parameter('for') : 'all')) ?? presets[0];
  const [{ works: all, rows }, failed] = await Promise.all([
    overview(context.store, context.index, context.lane, preset?.of),
    failedRules(context.store),
  ]);
  if (preset === undefined || all.length === 0) return emptyView('Overview', 'There are no runs yet.');
  const weights = own === null ? all.map(({ scenario }) => Number(preset.has(scenario))) : weightsOf(own, all);
  // A kind of work that does not count is no column.
  const places = all.flatMap((_, place) => ((weights[place] ?? 0) > 0 ? [place] : []));
  const works = places.flatMap(place => all[place] ?? []);
  const counted = places.map(place => weights[place] ?? 1);
  const lines = rows
    .map(row => ({ ...row, standings: places.map(place => row.standings[place] ?? null) }))
    .filter(({ standings }) => standings.some(each => each !== null))
    .map((row): Line => ({ row, sum: sumOf(row.standings.map(trustedRatio), counted) }))
    .sort((a, b) => order(a.sum) - order(b.sum) || a.row.name.localeCompare(b.row.name));
  const shown = new Set(context.parameter('show')?.split(',') ?? []);
  const isApart = ({ row }: Line) => APART.some(({ value }) => value === row.subject.tier);
  const frameworks = lines.filter(line => !isApart(line));
  const base =
    lines.find(({ row }) => row.subject.app === context.parameter('base')) ?? frameworks[0] ?? (lines[0] as Line);
  const groups = [
    { title: null, lines: frameworks },
    ...APART.filter(({ value }) => shown.has(value)).map(({ value, title }) => ({
      title,
      lines: lines.filter(({ row }) => row.subject.tier === value),
    })),
  ];
  return {
    title: 'Overview',
    body: [
      h('h1', {}, 'What does your service do?'),
      controlLine(
        segmented(
          'for',
          'By',
          presets.map(({ id, label }) => ({ value: id, label })),
          preset.id,
          value => context.go({ for: value, weights: null }),
        ),
        checks('show', 'Also', [...APART], shown, next => context.go({ show: [...next].join(',') || null })),
      ),
      headline(frameworks, base, works, counted),
      grid(context, works, counted, groups, base, failed),
      h(
        'p',
        { class: 'reading' },
        `CPU time of the server for one request, against ${base.row.name}’s: less is better. Click a name to compare with it. Grey: too close to call, or in brackets not to be trusted. Small: the rank. Requests per second are what one core can answer: 1 s ÷ CPU time, computed and never ranked.`,
      ),
      preset.id === 'all'
        ? fold('weights', 'Your own weights', () => [weighing(context, all, weights)])
        : h('p', {}, h('a', { href: context.to('overview', null, { for: 'all' }) }, 'Everything, by your own weights')),
    ],
  };
}

/** What is known of all kinds comes first. */
const order = (sum: Sum | null): number => (sum === null ? 1e6 : sum.unknown.length * 1e3 + sum.middle);

const against = (line: Line, base: Line, works: Work[]): (Bounded | null)[] =>
  works.map((work, place) => relative(line.row.standings[place] ?? null, base.row.standings[place] ?? null, work));

/** Who needs least, and what those that most people know need more. */
function headline(lines: Line[], base: Line, works: Work[], weights: number[]): HTMLElement {
  const first = lines[0];
  if (first === undefined || first.sum === null)
    return h('p', { class: 'headline' }, 'No framework has figures for all of this.');
  const sum = (line: Line) => sumOf(against(line, base, works), weights);
  // Who has no figure for some of it might need less.
  const gaps = first.sum.unknown.length;
  const known = lines.filter(line => line.sum?.unknown.length === gaps);
  const close = known.filter(line => line !== first && base === first && (sum(line)?.low ?? 2) <= 1);
  const of =
    known.length < lines.filter(({ sum }) => sum !== null).length
      ? `of the ${known.length} with most figures here`
      : 'on average';
  const more = lines
    .filter(({ row }) => KNOWN.includes(row.name) && row.name !== base.row.name)
    .flatMap(line => {
      const found = sum(line);
      return found === null ? [] : `${line.row.name} ${difference(found.middle)}`;
    });
  const others = close.length === 1 ? close[0]?.row.name : `${close.length} others`;
  return h(
    'p',
    { class: 'headline' },
    h('b', {}, first.row.name),
    known.length === 1
      ? ' alone has figures for most of this, so nobody is called first. '
      : ` needs the least CPU time ${of}${close.length === 0 ? '' : `; ${others} may need as little`}. `,
    more.length === 0 ? '' : h('span', { class: 'rest' }, `Against ${base.row.name}: ${more.join(', ')}.`),
  );
}

type Groups = { title: string | null; lines: Line[] }[];

function grid(
  context: Context,
  works: Work[],
  weights: number[],
  groups: Groups,
  base: Line,
  failed: Map<string, number>,
): HTMLElement {
  const kinds = works.filter(({ lane }, place) => works[place - 1]?.lane !== lane);
  const heading = ({ lane, scenario, kind }: Work) =>
    columnHead([
      h('a', { href: context.to('now', null, { lane, scenario: scenario.id }), title: scenario.title }, scenario.id),
      h('small', {}, kind),
    ]);
  const line = (line: Line) => {
    const { row } = line;
    const ratios = against(line, base, works);
    const rules = failed.get(row.subject.app);
    return h(
      'tr',
      { class: line === base ? 'base' : null },
      h(
        'th',
        { scope: 'row' },
        h(
          'button',
          {
            id: `base-${row.subject.app}`,
            type: 'button',
            class: 'as-link',
            'aria-pressed': String(line === base),
            title: `Compare all with ${row.name}`,
            onclick: () => context.go({ base: row.subject.app }),
          },
          row.name,
        ),
        ' ',
        h(
          'a',
          { class: 'page', href: context.to('framework', row.subject.app), 'aria-label': `All about ${row.name}` },
          '→',
        ),
      ),
      mean(line, base, sumOf(ratios, weights), works),
      row.standings.map((standing, place) => field(standing, ratios[place] ?? null, line === base)),
      h('td', {}, perCore(row.standings)),
      h('td', { class: (rules ?? 0) >= MANY ? 'many' : null }, rules === undefined ? MISSING : String(rules)),
    );
  };
  const width = works.length + 4;
  const box = tableBox(
    'All kinds of work',
    `Newest runs: ${kinds.map(({ kind, run }) => `${kind} of ${date(run.started_at)}`).join(', ')}`,
    [
      columnHead('Framework'),
      columnHead('Weighted mean'),
      ...works.map(heading),
      columnHead('req/s of a core'),
      columnHead('Rules broken'),
    ],
    groups.map(({ title, lines }) => [
      ...(title === null ? [] : [h('tr', {}, h('th', { scope: 'colgroup', colspan: String(width) }, title))]),
      ...lines.map(line),
    ]),
    'overview',
  );
  return h(
    'div',
    {},
    box,
    csvButton('overview', () => cellsOf(box)),
  );
}

/** Of the first kind of work: what a core would answer if it did nothing else. */
function perCore([first]: (Standing | null)[]): string {
  const value = first?.value;
  return value?.trusted ? number(1e6 / value.median) : MISSING;
}

function mean(line: Line, base: Line, sum: Sum | null, works: Work[]): HTMLElement {
  if (sum === null) return h('td', { class: 'together' }, MISSING);
  const names = sum.unknown.flatMap(place => works[place]?.scenario.id ?? []);
  const close = sum.low <= 1 && sum.high >= 1;
  return h(
    'td',
    {
      class: `together${close && line !== base ? ' faint' : ''}`,
      title: `${difference(sum.low)} to ${difference(sum.high)}`,
    },
    line === base ? '=' : difference(sum.middle),
    names.length === 0 ? null : h('small', { title: names.join(', ') }, `without ${names.length} of ${works.length}`),
  );
}

function field(standing: Standing | null, ratio: Bounded | null, isBase: boolean): HTMLElement {
  if (standing === null) return h('td', {}, MISSING);
  const { value, verdict, notOffered } = standing;
  if (notOffered !== null) return h('td', { class: 'faint', title: notOffered }, 'not offered');
  if (value === null) return h('td', { class: 'faint' }, verdictLabel(verdict));
  if (!value.trusted)
    return h('td', { class: 'faint', title: verdictLabel(value.verdict) }, `(${number(value.median)})`);
  const rank = value.rank === null ? null : h('small', {}, rankText(value.rank));
  if (ratio === null)
    return h('td', { class: 'faint', title: 'The base has no figure here' }, `${number(value.ratio)}×`, rank);
  const close = ratio.low <= 1 && ratio.high >= 1;
  return h(
    'td',
    {
      class: close ? 'faint' : heat(ratio.middle),
      title: `${difference(ratio.low)} to ${difference(ratio.high)}${close ? ': too close to call' : ''}`,
    },
    isBase ? '=' : difference(ratio.middle),
    rank,
  );
}

/** From much less than the base to much more. */
function heat(ratio: number): string {
  if (ratio <= 0.85) return 'less-3';
  if (ratio <= 0.93) return 'less-2';
  if (ratio < 1) return 'less-1';
  if (ratio <= 1.15) return 'more-1';
  return ratio <= 1.5 ? 'more-2' : 'more-3';
}

function weighing(context: Context, works: Work[], weights: number[]): HTMLElement {
  const choose = (place: number, value: string) =>
    context.go({ weights: weightsText(weights.with(place, Number(value)), works) });
  return h(
    'section',
    { class: 'weights' },
    faint('How much each kind of work counts. Saved in the link.'),
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
