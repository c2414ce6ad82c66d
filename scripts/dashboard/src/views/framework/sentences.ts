// What there is to say of a framework, in sentences: what it needs, what it breaks, when it moved last.
import type { Context } from '../../app/context';
import { type Failed, failedRules, probedAs } from '../../data/breaks';
import { versionOf } from '../../data/names';
import {
  isCompared,
  meanOwnWork,
  type Overview,
  overview,
  presetsOf,
  sumAgainst,
  sumOf,
  trustedRatio,
} from '../../data/overview';
import { shortTitle } from '../../data/scenarios';
import { isProblem, type Loaded } from '../../data/store';
import type { Change, Changes, Index, Lane, RunFigures, Scenario, Subject } from '../../data/types';
import { causesText } from '../../ui/changes';
import { h, link } from '../../ui/dom';
import { day, machines, more, ownWork, plural, rankText } from '../../ui/format';

type Facts = [Overview, Failed, Loaded<Changes>];

/** What the sentences are made of. */
export const factsOf = ({ store, index, lane }: Context): Promise<Facts> => {
  const reading = overview(store, index, lane, presetsFor(index, lane));
  return Promise.all([reading, failedRules(store), store.changes(lane)]);
};

const presetsFor = (index: Index, lane: Lane) =>
  presetsOf(index, lane).filter(({ id }) => id === 'json' || id === 'postgres');

export function sentencesOf(
  context: Context,
  newest: RunFigures,
  subject: Subject,
  [found, failed, moved]: Facts,
): HTMLElement[] {
  const costs = costsOf(context, subject, found);
  const rules = failed(subject.app);
  const version = versionOf(newest.period, subject.key) ?? '';
  const cases = (text: string) => link(context.to('breaks', probedAs(subject.app)), text);
  const broken =
    rules === undefined
      ? cases('What breaks')
      : [`${subject.name} ${version} breaks `, cases(plural(rules, 'mandatory HTTP rule')), '.'];
  const history = isProblem(moved) ? '' : lastChange(context, moved.changes, subject);
  const other = subject.app === 'axum' ? 'actix-web' : 'axum';
  return [
    h(
      'div',
      { class: 'sentences' },
      costs.map(text => h('p', {}, text)),
      h('p', {}, broken),
      history === '' ? null : h('p', {}, history),
    ),
    h(
      'p',
      {},
      link(
        context.to('compare', null, { left: subject.app, right: other }),
        `Compare ${subject.name} with another framework`,
      ),
    ),
  ];
}

/** By what services do, against who needs least of the maintained ones. */
function costsOf({ index, lane }: Context, subject: Subject, { works, rows }: Overview): string[] {
  const own = rows.find(({ name }) => name === subject.name);
  if (own === undefined) return [];
  const rivals = rows.filter(row => row.subject.tier !== 'engine' && row.subject.tier !== 'legacy');
  return presetsFor(index, lane).flatMap(({ label, id, has: fits }) => {
    const has = (scenario: Scenario) => fits(scenario) && (id === 'postgres') === (scenario.database != null);
    const wanted = works.filter(({ scenario }) => has(scenario));
    const weights = works.map(work => Number(wanted.includes(work) && isCompared(work)));
    const counted = wanted.filter(isCompared).length;
    const mine = meanOwnWork(own.standings, weights);
    const whole = rivals.flatMap(row => {
      const ratio = sumOf(row.standings.map(trustedRatio), weights);
      const work = meanOwnWork(row.standings, weights);
      if (ratio === null || ratio.unknown.length > 0) return [];
      return [{ row, work, size: mine === null ? ratio.middle : (work?.own_work ?? Infinity) }];
    });
    const best = whole.sort((a, b) => a.size - b.size)[0];
    const place = works.findIndex(({ scenario }) => has(scenario));
    const standing = own.standings[place] ?? null;
    if (best === undefined || standing?.value?.trusted !== true) return [];
    const rank =
      standing.value.rank === null
        ? ''
        : ` Rank ${rankText(standing.value.rank)} of its kind in ${shortTitle(works[place]?.scenario.id)}.`;
    const over = counted < wanted.length ? ` in ${counted} of ${plural(wanted.length, 'kind')} of work` : '';
    const of = plural(whole.length, 'framework') + over;
    const work = mine && `own work ${ownWork(mine)}`;
    if (best.row === own)
      return [`${label}: it needs the least CPU time of ${of}${work === null ? '' : `, ${work}`}.${rank}`];
    const found = sumAgainst(own, best.row, works, weights);
    if (found === null || found.unknown.length > 0) return [];
    const on = machines(works.filter((_, at) => weights[at]).map(({ run }) => run));
    const size = work ?? `${more(found)} CPU time on ${on}, with 95 %,`;
    const least = best.work && work ? `, at ${ownWork(best.work)}` : '';
    return [`${label}: ${size} against ${best.row.name}, which needs least of ${of}${least}.${rank}`];
  });
}

function lastChange({ lane }: Context, changes: Change[], { app, variant }: Subject): string {
  const [last] = changes
    .filter(change => change.app === app && change.variant === variant && change.state === 'confirmed')
    .sort((a, b) => b.started_at - a.started_at);
  const since = `its ${plural(lane.runs, 'run')} so far`;
  if (last === undefined) return `No confirmed change of its speed in ${since}.`;
  return `No confirmed change since ${day(last.started_at)} (${more({ middle: 1 + last.size, low: 1 + last.low, high: 1 + last.high })} ${last.scenario}: ${causesText(last.causes)}).`;
}
