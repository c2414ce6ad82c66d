// Changes that the history found, in sentences.

import type { Context } from '../app/context';
import { grouped } from '../data/breaks';
import { METRICS } from '../data/metrics';
import { keyOf } from '../data/names';
import { fullTitle } from '../data/scenarios';
import type { Problem } from '../data/store';
import type { Cause, Change, Common, Mark, Scenario } from '../data/types';
import { type Children, h, link } from './dom';
import { day, percent, plural } from './format';
import { faint } from './parts';

// Kinds whose name says what it is; of the others the kind has to be said too.
const NAMED = new Set<Cause['kind']>(['dependency', 'framework', 'column']);

function causeText({ kind, name, before, after }: Cause): string {
  if (kind === 'environment') return 'nothing known: the environment';
  if (kind === 'source') return 'the app’s own sources';
  const what = name === kind ? kind : NAMED.has(kind) ? name : `${kind} ${name}`;
  if (before && after) return `${what} ${before} → ${after}`;
  return after ? `${what} ${after}` : what;
}

export const causesText = (causes: Cause[]): string =>
  causes.length === 0 ? 'no cause found' : causes.map(causeText).join(', ');

/** How the level of a change ended; nothing while it lasts. */
function endText({ ended }: Pick<Change, 'ended'>): string {
  if (ended === null) return '';
  if (ended.by === 'change') return `ended ${day(ended.started_at)} (${causesText(ended.causes)})`;
  const since = day(ended.started_at);
  return ended.by === 'doubt'
    ? `in doubt since ${since}: not found with later runs`
    : `until the runner changed, ${since}`;
}

const metricLabel = (id: string): string => METRICS.get(id)?.label ?? id;

/** `12 % more (8 to 16 %)`. */
function sizeText({ size, low, high }: Change): string {
  return `${percent(size)} (${percent(low)} to ${percent(high)})`;
}

/** Its colour, and what that says. */
type Tone = [kind: 'good' | 'bad' | 'still', words: string];

const TONES: Partial<Record<Change['verdict'], Tone>> = {
  regression: ['bad', 'for the worse'],
  improvement: ['good', 'for the better'],
};

export interface Names {
  app: (app: string) => string;
  scenarios: Map<string, Scenario>;
}

function scenarioText(id: string, scenarios: Map<string, Scenario>): string {
  const scenario = scenarios.get(id);
  return scenario === undefined ? id : fullTitle(scenario, scenarios);
}

interface Item {
  sign: string;
  tone: Tone;
  what: Children;
  where?: Children[];
  since: number;
  /** Why; nothing where that is what it says. */
  causes?: Cause[];
  /** What became of it. */
  after?: (string | null)[];
  links?: HTMLElement[];
}

/** Something that changed: what, where, since when and why. */
export function item({ sign, tone: [kind, words], what, where = [], since, causes, after = [], links = [] }: Item) {
  return h(
    'li',
    { class: `change ${kind}` },
    h('span', { class: 'sign', title: words, 'aria-hidden': 'true' }, sign),
    h(
      'div',
      {},
      h('p', { class: 'what' }, what, h('span', { class: 'visually-hidden' }, words && `, ${words}`)),
      where.map(text => h('p', { class: 'where' }, text)),
      h(
        'p',
        { class: 'why' },
        day(since),
        causes && [' · ', h('span', { class: 'cause' }, causesText(causes))],
        after.map(text => text && ` · ${text}`),
      ),
      links.length === 0 ? null : h('p', { class: 'links' }, links),
    ),
  );
}

export const toneOf = ({ verdict }: Pick<Change, 'verdict'>): Tone => TONES[verdict] ?? ['still', verdict];

/** `elsewhere` is in how many other kinds of work the same thing happened. */
export function changeItem(change: Change, names: Names, { to }: Context, elsewhere = 0): HTMLElement {
  const { app, scenario, metric } = change;
  const trend = to('trends', null, { scenario, metric, apps: keyOf(change) });
  const compare = to('compare', null, { a: change.previous_run, b: change.run, scenario, metric });
  return item({
    sign: change.size > 0 ? '▲' : '▼',
    tone: toneOf(change),
    what: [link(to('framework', app), names.app(app)), ` ${sizeText(change)} ${metricLabel(metric)}`],
    where: [
      [
        scenarioText(scenario, names.scenarios),
        elsewhere === 0 ? null : `, and in ${plural(elsewhere, 'other kind')} of work`,
        change.relative_to == null ? null : `, relative to ${change.relative_to}`,
      ],
    ],
    since: change.started_at,
    causes: change.causes,
    after: [change.state === 'confirmed' ? null : change.state, endText(change)],
    links: [link(trend, 'trend'), link(compare, 'before and after')],
  });
}

export function commonItem(change: Common, scenarios: Map<string, Scenario>): HTMLElement {
  const { shared_by: apps } = change;
  const who = apps.length === 0 ? 'All at once' : `${plural(apps.length, 'framework')} at once`;
  return item({
    sign: '◆',
    tone: apps.length === 0 ? ['still', ''] : toneOf(change),
    what: `${who}: ${percent(change.size)} ${metricLabel(change.metric)}`,
    where: [
      scenarioText(change.scenario, scenarios),
      ...(apps.length === 0 ? [] : [`relative to the reference: ${apps.join(', ')}`]),
    ],
    since: change.started_at,
    causes: change.causes,
    after: [endText(change)],
  });
}

/** Items of changes, or that there are none. */
export const changeList = (items: HTMLElement[], none = 'Nothing so far.'): HTMLElement =>
  items.length === 0 ? faint(none) : h('ul', { class: 'changes' }, items);

/** Why there is nothing to say of a lane. */
export const noHistory = ({ missing, problem }: Problem): string =>
  missing ? 'No history of this machine was computed yet.' : problem;

const MARK_NAMES: Partial<Record<Mark['kind'], string>> = {
  runner: 'New runner, on which every figure begins again',
  machine: 'New machine',
  rustc: 'New compiler',
  kernel: 'New kernel',
  image: 'New runner image',
  harness: 'New harness',
  framework: 'Release',
};

export function markText({ kind, app, before, after }: Mark): string {
  const what = `${MARK_NAMES[kind] ?? kind}${app == null ? '' : ` of ${app}`}`;
  // What tells two kinds of a cpu apart stands in brackets.
  const [from, to] = [before, after].map(each => each.split(' (')[0]);
  return `${what}: ${from === to ? `${before} → ${after}` : `${from} → ${to}`}`;
}

export const newestFirst = <T extends { started_at: number }>(items: T[]): T[] =>
  [...items].sort((a, b) => b.started_at - a.started_at);

interface Moved {
  change: Change;
  elsewhere: number;
}

/** One entry for what happened to an app in one run, however many kinds of work felt it: from the one that is looked at. */
export function once(changes: Change[], scenario: string | null = null): Moved[] {
  const groups = grouped(changes, ({ app, variant, run, metric, verdict }) =>
    [app, variant, run, metric, verdict].join(' '),
  );
  return [...groups.values()].flatMap(group => {
    const change = group.find(each => each.scenario === scenario) ?? group[0];
    return change === undefined ? [] : [{ change, elsewhere: group.length - 1 }];
  });
}
