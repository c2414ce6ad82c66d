// Changes that the history found, in sentences.
import type { Context } from '../app/context';
import { METRICS } from '../data/metrics';
import { fullTitle } from '../data/scenarios';
import type { Cause, Change, Common, Mark, Scenario } from '../data/types';
import { h } from './dom';
import { day, percent, plural } from './format';

// Kinds whose name says what it is; of the others the kind has to be said too.
const NAMED = new Set<Cause['kind']>(['dependency', 'framework', 'column']);

export function causeText({ kind, name, before, after }: Cause): string {
  if (kind === 'environment') return 'nothing known: the environment';
  if (kind === 'source') return 'the app’s own sources';
  const what = name === null || name === kind ? kind : NAMED.has(kind) ? name : `${kind} ${name}`;
  if (before && after) return `${what} ${before} → ${after}`;
  return after ? `${what} ${after}` : what;
}

export const causesText = (causes: Cause[]): string =>
  causes.length === 0 ? 'no cause found' : causes.map(causeText).join(', ');

/** How the level of a change ended; nothing while it lasts. */
export function endText({ ended }: Pick<Change, 'ended'>): string {
  if (ended === null) return '';
  if (ended.by === 'change') return `ended ${day(ended.started_at)} (${causesText(ended.causes)})`;
  const since = day(ended.started_at);
  return ended.by === 'doubt'
    ? `in doubt since ${since}: not found with later runs`
    : `until the runner changed, ${since}`;
}

const metricLabel = (id: string): string => METRICS.get(id)?.label ?? id;

/** `12 % more (8 to 16 %)`. */
function sizeText({ size, low, high }: { size: number; low: number | null; high: number | null }): string {
  const bounds = low === null || high === null ? '' : ` (${percent(low)} to ${percent(high)})`;
  return percent(size) + bounds;
}

const TONES: Partial<Record<Change['verdict'], [string, string]>> = {
  regression: ['bad', 'for the worse'],
  improvement: ['good', 'for the better'],
};

export interface Names {
  app: (app: string) => string;
  scenarios: Map<string, Scenario>;
}

export function scenarioText(id: string, scenarios: Map<string, Scenario>): string {
  const scenario = scenarios.get(id);
  return scenario === undefined ? id : fullTitle(scenario, scenarios);
}

/** `elsewhere` is in how many other kinds of work the same thing happened. */
export function changeItem(change: Change, names: Names, context: Context, elsewhere = 0): HTMLElement {
  const [tone, words] = TONES[change.verdict] ?? ['still', change.verdict];
  const sign = change.size > 0 ? '▲' : '▼';
  const trend = context.to('trends', null, {
    scenario: change.scenario,
    metric: change.metric,
    apps: change.variant === 'default' ? change.app : `${change.app}:${change.variant}`,
  });
  const compare =
    change.previous_run === null
      ? null
      : context.to('compare', null, {
          a: change.previous_run,
          b: change.run,
          scenario: change.scenario,
          metric: change.metric,
        });
  return h(
    'li',
    { class: `change ${tone}` },
    h('span', { class: 'sign', title: words, 'aria-hidden': 'true' }, sign),
    h(
      'div',
      {},
      h(
        'p',
        { class: 'what' },
        h('a', { href: context.to('framework', change.app) }, names.app(change.app)),
        ` ${sizeText(change)} ${metricLabel(change.metric)}`,
        h('span', { class: 'visually-hidden' }, `, ${words}`),
      ),
      h(
        'p',
        { class: 'where' },
        scenarioText(change.scenario, names.scenarios),
        elsewhere === 0 ? null : `, and in ${plural(elsewhere, 'other kind')} of work`,
        change.relative_to === null ? null : `, relative to ${change.relative_to}`,
      ),
      h(
        'p',
        { class: 'why' },
        `${day(change.started_at)} · `,
        h('span', { class: 'cause' }, causesText(change.causes)),
        change.state === 'confirmed' ? null : ` · ${change.state}`,
        change.ended === null ? null : ` · ${endText(change)}`,
      ),
      h(
        'p',
        { class: 'links' },
        h('a', { href: trend }, 'trend'),
        compare === null ? null : h('a', { href: compare }, 'before and after'),
      ),
    ),
  );
}

export function commonItem(change: Common, scenarios: Map<string, Scenario>): HTMLElement {
  const { shared_by: apps } = change;
  const [tone, words] = apps.length === 0 ? ['still', ''] : (TONES[change.verdict] ?? ['still', change.verdict]);
  return h(
    'li',
    { class: `change ${tone}` },
    h('span', { class: 'sign', title: words, 'aria-hidden': 'true' }, '◆'),
    h(
      'div',
      {},
      h(
        'p',
        { class: 'what' },
        apps.length === 0 ? 'All at once' : `${plural(apps.length, 'framework')} at once`,
        `: ${percent(change.size)} ${metricLabel(change.metric)}`,
        h('span', { class: 'visually-hidden' }, words === '' ? '' : `, ${words}`),
      ),
      h('p', { class: 'where' }, scenarioText(change.scenario, scenarios)),
      apps.length === 0 ? null : h('p', { class: 'where' }, `relative to the reference: ${apps.join(', ')}`),
      h(
        'p',
        { class: 'why' },
        `${day(change.started_at)} · `,
        h('span', { class: 'cause' }, causesText(change.causes)),
        change.ended === null ? null : ` · ${endText(change)}`,
      ),
    ),
  );
}

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
  const what = `${MARK_NAMES[kind] ?? kind}${app === null ? '' : ` of ${app}`}`;
  if (after === null) return what;
  return before === null ? `${what}: ${after}` : `${what}: ${before} → ${after}`;
}

export const newestFirst = <T extends { started_at: number }>(items: T[]): T[] =>
  [...items].sort((a, b) => b.started_at - a.started_at);

interface Moved {
  change: Change;
  elsewhere: number;
}

/** One entry for what happened to an app in one run, however many kinds of work felt it: from the one that is looked at. */
export function grouped(changes: Change[], scenario: string | null = null): Moved[] {
  const groups = new Map<string, Change[]>();
  for (const change of changes) {
    const key = [change.app, change.variant, change.run, change.metric, change.verdict].join(' ');
    groups.set(key, [...(groups.get(key) ?? []), change]);
  }
  return [...groups.values()].flatMap(group => {
    const change = group.find(each => each.scenario === scenario) ?? group[0];
    return change === undefined ? [] : [{ change, elsewhere: group.length - 1 }];
  });
}
