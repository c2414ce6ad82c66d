// Parts that many views have: a section with its title, how something is judged, a choice of the figure, facts, the run behind figures.
import type { Context } from '../app/context';
import { address } from '../app/route';
import type { ViewName } from '../app/views';
import type { Judgement } from '../data/judge';
import { kindsOf } from '../data/kinds';
import type { Metric } from '../data/metrics';
import { runsOf } from '../data/runs';
import type { Run } from '../data/types';
import { linkChoice, type Option, select } from './controls';
import { type Children, h, link } from './dom';
import { day, days, machines, percent, plural } from './format';

/** A sentence to the reader about what is not there or cannot be trusted. */
export const notice = (text: string): HTMLElement => h('p', { class: 'notice', role: 'status' }, text);

/** A view that has nothing but the reason why. */
export const emptyView = (title: string, why: string, heading = title) => ({
  title,
  body: [h('h1', {}, heading), notice(why)],
});

/** What the figure of a row is where it carries over. */
export const OWN_WORK =
  'Own work is where a server’s CPU time lies between that of the smallest possible server, 0, and that of Rocket 0.5.2, 100; ± is how far another cpu may move it.';

/** The button that opens the table behind a picture. */
export const AS_TABLE = 'The same figures as a table';

export const titled = (title: Children, ...content: Children[]): HTMLElement =>
  h('section', {}, h('h2', {}, title), content);

/** Controls in a row, or in as many as it takes. */
export const controlLine = (...controls: Children[]): HTMLElement =>
  h('div', { class: 'controls control-line' }, controls);

export const faint = (...content: Children[]): HTMLElement => h('p', { class: 'faint' }, content);

/** How to read what is next to it. */
export const reading = (...content: Children[]): HTMLElement => h('p', { class: 'reading' }, content);

/** Stands above a title. */
export const eyebrow = (...content: Children[]): HTMLElement => h('p', { class: 'eyebrow' }, content);

export const list = (kind: string | null, items: Children[]): HTMLElement =>
  h(
    'ul',
    { class: kind },
    items.map(item => h('li', {}, item)),
  );

/** With something between each two of them. */
export const joined = (items: Children[], between: string): Children[] =>
  items.flatMap((item, at) => (at === 0 ? [item] : [between, item]));

/** Who is left out of what is above, each with the reason; nothing where nobody is. */
export const leftOut = (what: string, names: [name: string, why: string][]): HTMLElement | null =>
  names.length === 0
    ? null
    : h('p', { class: 'reasons' }, `${what}: `, names.map(([name, why]) => `${name} (${why})`).join(' · '));

/** Terms with what is known of each; what is not known is left out. */
export const facts = (items: [string, Children][], kind = ''): HTMLElement =>
  h(
    'dl',
    { class: `facts ${kind}` },
    items.map(([term, text]) => (text ? h('div', {}, h('dt', {}, term), h('dd', {}, text)) : null)),
  );

/** The day of a run, which leads to it in its series. */
const runLink = ({ index, lane, to }: Context, { id, profile, started_at }: Run): HTMLElement => {
  const own = [...index.lanes.values()].find(each => each.place === lane.place && each.profile === profile);
  return link(to('run', id, own && { lane: own.name }), day(started_at));
};

/** Of more days the runs are counted. */
const LINKED = 3;

/** When and on what the figures of a view were measured, at its top. */
export function measuredOn(context: Context, of: Iterable<{ run: Run }>, ...more: Children[]): HTMLElement | null {
  const each = runsOf(of).sort((a, b) => a.started_at - b.started_at);
  if (each.length === 0) return null;
  // Of each day the last one, the newest day first.
  const daily = [...new Map(each.map(run => [day(run.started_at), run])).values()].reverse();
  const when =
    daily.length > LINKED
      ? link(context.to('run'), `${plural(each.length, 'run')}, ${days(each)}`)
      : joined(
          daily.map(run => runLink(context, run)),
          ', ',
        );
  return h(
    'p',
    { class: 'provenance' },
    when,
    ` · ${machines(each.reverse())}`,
    more.map(part => part && [' · ', part]),
  );
}

/** Which figure a view shows: one of many, or of a few that are all to be seen. */
export const metricSelect = ({ go }: Context, offered: Metric[], { id }: Metric, choice = select): HTMLElement =>
  choice(
    'metric',
    'Figure',
    offered.map(({ id, label }) => ({ value: id, label })),
    id,
    value => go({ metric: value, page: null }),
  );

/** The figure that the address names, or else the first. */
export const chosenMetric = ({ parameter }: Context, offered: Metric[]): Metric | undefined =>
  offered.find(({ id }) => id === parameter('metric')) ?? offered[0];

/** Shows only what has one of these, which a parameter of the address names. */
export const filter = (
  { parameter, go }: Context,
  name: string,
  label: string,
  options: (Option | string)[],
  all = 'All',
): HTMLElement =>
  select(name, label, [{ value: '', label: all }, ...options], parameter(name) ?? '', value =>
    go({ [name]: value || null, page: null }),
  );

/** Which kind of work a view shows; with `all`, none is named. */
export const workSelect = ({ go }: Context, titles: Map<string, string>, chosen: string, all = false): HTMLElement =>
  select(
    'scenario',
    'Kind of work',
    [...(all ? [['', 'All'] as const] : []), ...titles].map(([value, label]) => ({ value, label })),
    chosen,
    value => go({ scenario: value || null, page: null }),
  );

/** A ratio with its interval, and what its run says of it; `ahead` says who is better. */
export function judgedText({ ratio, told, why }: Judgement, ahead: (better: boolean) => string): string {
  const [size, low, high] = [ratio?.middle, ratio?.low, ratio?.high].map(end => end && percent(end - 1));
  const said = told === null ? why : told === 'alike' ? TOO_CLOSE : ahead(told === 'good');
  return [size && (low && high ? `${size} (${low} to ${high})` : size), said].filter(part => part).join(', ');
}

/** What is said where no difference can be shown. */
export const TOO_CLOSE = 'too close to call';

/** The kinds of runs of a lane, where it has more than one: links, for another kind has other servers, scenarios and figures. */
export function kindsOfRun({ index, lane }: Context, view: ViewName): HTMLElement | null {
  const kinds = kindsOf(index, lane);
  if (kinds.length < 2) return null;
  const links = kinds.map(kind => ({
    id: `run-kind-${kind.lane.split(':')[1] ?? 'principal'}`,
    href: address(view, null, { lane: kind.lane }),
    text: kind.label,
    isHere: kind.lane === lane.name,
  }));
  return linkChoice('Kind of run', links);
}
