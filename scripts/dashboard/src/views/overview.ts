// The start page: all frameworks at once by what the reader's service does, as differences to one of them.
import type { Context, Shown } from '../app/context';
import { type Failed, failedRules, grouped, MANY, probedAs } from '../data/breaks';
import { type Basis, basisOf, type OwnWork } from '../data/figures';
import type { Judgement } from '../data/judge';
import { KNOWN } from '../data/names';
import {
  against,
  type FrameworkRow,
  isCompared,
  meanOwnWork,
  overview,
  presetsOf,
  relative,
  type Standing,
  type Sum,
  sumAgainst,
  sumOf,
  trustedRatio,
  WEIGHTS,
  type Work,
  weightsOf,
  weightsText,
} from '../data/overview';
import { shortTitle } from '../data/scenarios';
import { verdictLabel } from '../data/verdicts';
import { checks, fold, segmented, select } from '../ui/controls';
import { cellsOf, csvButton } from '../ui/csv';
import { h, link } from '../ui/dom';
import { coverage, listed, MISSING, machines, more, number, ownWork, plural, rankText } from '../ui/format';
import { controlLine, emptyView, faint, measuredOn, OWN_WORK, reading } from '../ui/parts';
import { columnHead, tableBox } from '../ui/table';

/** What stands apart from the frameworks, and only by choice. */
const APART = [
  { value: 'engine', label: 'Engines', title: 'Engines: HTTP without a framework' },
  { value: 'legacy', label: 'Legacy', title: 'Legacy, no longer maintained' },
] as const;

interface Line {
  row: FrameworkRow;
  /** By the ratios to the reference. */
  sum: Sum | null;
  /** Where all kinds that count have it, the order. */
  work: OwnWork | null;
}

export async function show(context: Context): Promise<Shown> {
  const presets = presetsOf(context.index, context.lane);
  const own = context.parameter('weights');
  const preset = presets.find(({ id }) => id === (own === null ? context.parameter('for') : 'all')) ?? presets[0];
  const [{ works: all, rows }, failed] = await Promise.all([
    overview(context.store, context.index, context.lane, preset && [preset]),
    failedRules(context.store),
  ]);
  if (preset === undefined || all.length === 0) return emptyView('Overview', 'There are no runs yet.');
  const weights = own === null ? all.map(({ scenario }) => Number(preset.has(scenario))) : weightsOf(own, all);
  // A kind of work that does not count is no column.
  const places = all.flatMap((_, place) => ((weights[place] ?? 0) > 0 ? [place] : []));
  const works = places.flatMap(place => all[place] ?? []);
  const counted = places.map(place => weights[place] ?? 1);
  // A mean of fewer than two thirds of them would say little of the rest.
  const enough = 3 * works.filter(isCompared).length >= 2 * works.length;
  const shared = works.map((work, place) => (enough && isCompared(work) ? (counted[place] ?? 1) : 0));
  const lines = rows
    .map(row => ({ ...row, standings: places.map(place => row.standings[place] ?? null) }))
    .filter(({ standings }) => standings.some(each => each !== null))
    .map(
      (row): Line => ({
        row,
        sum: sumOf(row.standings.map(trustedRatio), shared),
        work: meanOwnWork(row.standings, counted),
      }),
    );
  const byWork = lines.some(({ work }) => work !== null);
  lines.sort((a, b) => order(a, byWork) - order(b, byWork) || a.row.name.localeCompare(b.row.name));
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
  const values = base.row.standings.flatMap(standing => standing?.value ?? []);
  return {
    title: 'Overview',
    body: [
      h('h1', {}, 'What does your service do?'),
      measuredOn(context, works),
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
      headline(frameworks, base, works, shared, byWork),
      grid(context, works, shared, groups, base, byWork, failed),
      reading(
        `CPU time of the server for one request: less is better. ${basisOf(values) === 'own work' ? `${OWN_WORK} ` : ''}What has a sign is against ${base.row.name}: click a name to compare with it. ± is the 95 % interval, which covers ${coverage(...values)}. Colours: what Compare calls ahead. Grey: no difference can be shown, or not to be trusted. Small: the rank, which takes more, for it holds for all pairs at once. Requests per second are what one core can answer: 1 s ÷ CPU time, computed and never ranked.`,
      ),
      preset.id === 'all'
        ? fold('weights', 'Your own weights', () => [weighing(context, all, weights)])
        : h('p', {}, link(context.to('overview', null, { for: 'all' }), 'Everything, by your own weights')),
    ],
  };
}

/** What is known of all kinds comes first. */
function order({ sum, work }: Line, byWork: boolean): number {
  if (byWork) return work?.own_work ?? 1e6;
  return sum === null ? 1e6 : sum.unknown.length * 1e3 + sum.middle;
}

/** Against another one, over all works or not at all: a mean of some would be compared with a mean of others. */
function meanOf(line: Line, base: Line, works: Work[], weights: number[]): Sum | null {
  const sum = sumAgainst(line.row, base.row, works, weights);
  return sum?.unknown.length === 0 ? sum : null;
}

/** Who needs least, and what those need that most people know: the figures of the rows. */
function headline(lines: Line[], base: Line, works: Work[], weights: number[], byWork: boolean): HTMLElement {
  const to = (line: Line, other: Line) => meanOf(line, other, works, weights);
  const best = lines[0] as Line;
  const known = lines.filter(line => (byWork ? line.work : to(line, best)) !== null);
  const [first] = known;
  if (first === undefined || known.length < 2) return h('p', { class: 'headline' }, leaders(lines, works));
  const alike = known.filter(line =>
    against(line.row, first.row, works).every(({ told }, place) => weights[place] === 0 || told === 'alike'),
  ).length;
  const of =
    known.length < lines.length
      ? `of the ${plural(known.length, 'framework')} with figures for all of this`
      : 'of the frameworks on average';
  const rest = known
    .filter(line => KNOWN.includes(line.row.name) && line !== (byWork ? first : base))
    .flatMap(line => {
      const found = byWork ? line.work && ownWork(line.work) : meanText(line, base, to(line, base));
      return found === null ? [] : `${line.row.name} ${found}`;
    });
  const kinds = weights.filter(weight => weight > 0).length;
  const over = byWork || kinds === works.length ? '' : ` in ${kinds} of ${plural(works.length, 'kind')} of work`;
  const scale = byWork ? '' : `Against ${base.row.name} on ${machines(works.map(({ run }) => run))}, with 95 %: `;
  return h(
    'p',
    { class: 'headline' },
    h('b', {}, first.row.name),
    ` needs the least CPU time ${of}${over}${first.work && byWork ? `, own work ${ownWork(first.work)}` : ''}${alike === 0 ? '' : `; no difference to ${plural(alike, 'other')} can be shown`}. `,
    rest.length === 0 ? '' : h('span', { class: 'rest' }, `${scale}${rest.join(', ')}.`),
  );
}

/** More kinds of work than these are counted. */
const NAMED = 4;

/** Without a mean: who is ahead of every other one that has a figure, and in what. */
function leaders(lines: Line[], works: Work[]): string {
  const found = works.flatMap((work, place) => {
    const at = ({ row }: Line) => row.standings[place] ?? null;
    const sized = lines.flatMap(line => trustedRatio(at(line)) ?? []).map(({ middle }) => middle);
    const first = lines.find(line => trustedRatio(at(line))?.middle === Math.min(...sized));
    const isAhead = (line: Line) =>
      line === first || trustedRatio(at(line)) === null || relative(at(line), at(first as Line), work).told === 'bad';
    return first !== undefined && lines.every(isAhead)
      ? [{ name: first.row.name, work: shortTitle(work.scenario.id) }]
      : [];
  });
  const parts = [...grouped(found, ({ name }) => name)].map(([name, own]) => {
    const where = own.length > NAMED ? plural(own.length, 'kind') : listed(own.map(({ work }) => work));
    return `${name} in ${where}`;
  });
  const rest = works.length - found.length;
  const open =
    rest === 0 ? '' : `${parts.length === 0 ? '' : '; '}in ${plural(rest, 'kind')} of work nobody is first for certain`;
  return `No two frameworks have figures that count for all of this, so there is no mean. Least CPU time: ${parts.join('; ')}${open}.`;
}

const meanText = (line: Line, base: Line, sum: Sum | null): string | null => (line === base ? '=' : sum && more(sum));

type Groups = { title: string | null; lines: Line[] }[];

function grid(
  context: Context,
  works: Work[],
  weights: number[],
  groups: Groups,
  base: Line,
  byWork: boolean,
  failed: Failed,
): HTMLElement {
  const rows = groups.flatMap(group => group.lines.map(line => line.row));
  const bases = works.map((_, place) => basisOf(rows.map(({ standings }) => standings[place]?.value ?? null)));
  const heading = ({ lane, scenario }: Work) =>
    columnHead([
      h(
        'a',
        { href: context.to('now', null, { lane, scenario: scenario.id }), title: scenario.title },
        shortTitle(scenario.id),
      ),
    ]);
  const line = (line: Line) => {
    const { row } = line;
    const found = against(row, base.row, works);
    const rules = failed(row.subject.app);
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
          {
            class: 'page',
            href: context.to('framework', probedAs(row.subject.app)),
            'aria-label': `All about ${row.name}`,
          },
          '→',
        ),
      ),
      mean(line, base, sumAgainst(row, base.row, works, weights), works, byWork),
      h('td', { class: (rules ?? 0) >= MANY ? 'many' : null }, rules === undefined ? MISSING : String(rules)),
      h('td', {}, perCore(row.standings)),
      row.standings.map((standing, place) =>
        field(standing, found[place] as Judgement, bases[place] ?? 'ratio', line === base),
      ),
    );
  };
  const width = works.length + 4;
  const kinds = weights.filter(weight => weight > 0).length;
  const box = tableBox(
    'All kinds of work',
    'More CPU time is worse',
    [
      columnHead('Framework'),
      columnHead([
        'Weighted mean',
        kinds < works.length && h('small', {}, kinds === 0 ? 'of too few' : `of ${kinds} of ${works.length}`),
      ]),
      columnHead('Rules broken'),
      columnHead(['req/s of a core', h('small', {}, shortTitle(works[0]?.scenario.id))]),
      ...works.map(heading),
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

function mean(line: Line, base: Line, sum: Sum | null, works: Work[], byWork: boolean): HTMLElement {
  const names = (sum?.unknown ?? []).flatMap(place => shortTitle(works[place]?.scenario.id));
  const whole = names.length === 0 ? sum : null;
  return h(
    'td',
    { class: 'together', title: whole && `${more(whole)} against ${base.row.name}` },
    (byWork ? line.work && ownWork(line.work) : meanText(line, base, whole)) ?? MISSING,
    names.length === 0 ? null : h('small', { title: names.join(', ') }, `without ${names.length} of ${works.length}`),
  );
}

function field(standing: Standing | null, { ratio, told, why }: Judgement, basis: Basis, isBase: boolean): HTMLElement {
  if (standing === null) return h('td', {}, MISSING);
  const { value, verdict, notOffered } = standing;
  if (notOffered !== null) return h('td', { class: 'faint', title: notOffered }, 'not offered');
  if (!value?.trusted) return h('td', { class: 'faint' }, verdictLabel(verdict));
  const rank = value.rank === null ? null : h('small', {}, rankText(value.rank));
  const own = basis === 'own work' ? ownWork(value) : null;
  if (ratio === null) return h('td', { class: 'faint', title: why }, own ?? MISSING, rank);
  return h(
    'td',
    {
      class: told === 'good' || told === 'bad' ? told : isBase ? null : 'faint',
      title: `${more(ratio)}${told === 'alike' ? ': no difference can be shown' : ''}`,
    },
    own ?? (isBase ? '=' : more(ratio)),
    rank,
  );
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
          shortTitle(scenario.id),
          WEIGHTS.map(weight => ({ value: String(weight), label: weight === 0 ? 'leave out' : `× ${weight}` })),
          String(weights[place] ?? 1),
          value => choose(place, value),
        ),
      ),
    ),
  );
}
