// News: what moved, what was released, on which machine, and what began or ceased to fail, by week.
import type { Context, Shown } from '../app/context';
import { grouped } from '../data/breaks';
import { kindsOf } from '../data/kinds';
import { orNull } from '../data/store';
import { changeItem, changeList, commonItem, item, markText, type Names, newestFirst, once } from '../ui/changes';
import { button } from '../ui/controls';
import { h, link } from '../ui/dom';
import { day, listed } from '../ui/format';
import { measuredOn, titled } from '../ui/parts';
import { probeItem } from './breaks/changed';

const DAY = 86_400_000;
/** The Monday of its week: 1970 began on a Thursday. */
const mondayOf = (at: number): number => Math.floor((at + 3 * DAY) / (7 * DAY)) * 7 * DAY - 3 * DAY;
/** Weeks that are there at first. */
const SHOWN = 8;

interface News {
  started_at: number;
  /** Whether a speed moved. */
  moved?: boolean;
  element: HTMLElement;
}

export async function show(context: Context): Promise<Shown> {
  const { store, lane, to } = context;
  const news = newestFirst(await all(context));
  const newest = mondayOf(lane.newest?.started_at ?? 0);
  const weeks = [...grouped(news, ({ started_at }) => `Week of ${day(mondayOf(started_at))}`)];
  const whole = context.parameter('weeks') === 'all';
  return {
    title: 'News',
    body: [
      h('h1', {}, 'News'),
      measuredOn(context, (await store.newestOfAll(lane.place)).values(), link(to('run'), 'all runs')),
      news.some(({ started_at, moved }) => moved && mondayOf(started_at) === newest)
        ? null
        : h('p', { class: 'lead' }, `No framework was found faster or slower in the newest week, of ${day(newest)}.`),
      weeks
        .slice(0, whole ? Infinity : SHOWN)
        .map(([week, own]) => titled(week, changeList(own.map(({ element }) => element)))),
      whole || weeks.length <= SHOWN
        ? null
        : button('all-weeks', `All ${weeks.length} weeks`, () => context.go({ weeks: 'all' })),
    ],
  };
}

/** Of all kinds of runs at the place of a lane, and of the probes. */
async function all(context: Context): Promise<News[]> {
  const { index, lane, store, to } = context;
  const kinds = kindsOf(index, lane);
  const [newest, story, ...histories] = await Promise.all([
    store.newestOfAll(lane.place),
    store.probeChanges(),
    ...kinds.map(async kind => ({ kind, found: orNull(await store.changes(index.lanes.get(kind.lane) ?? lane)) })),
  ]);
  const periods = [...newest.values()].map(({ period }) => period);
  const apps = new Map(
    periods.flatMap(({ subjects }) => [...subjects.values()].map(({ app, name }) => [app, name] as const)),
  );
  const names: Names = {
    app: app => apps.get(app) ?? app,
    scenarios: new Map(periods.flatMap(({ scenarios }) => [...scenarios])),
  };
  const moved = histories.flatMap(({ kind, found }): News[] => {
    const there: Context = { ...context, to: (view, subject, rest) => to(view, subject, { lane: kind.lane, ...rest }) };
    return [
      ...once(found?.changes ?? []).map(({ change, elsewhere }) => ({
        moved: true,
        started_at: change.started_at,
        element: changeItem(change, names, there, elsewhere),
      })),
      ...(found?.common ?? []).map(change => ({
        moved: true,
        started_at: change.started_at,
        element: commonItem(change, names.scenarios),
      })),
    ];
  });
  // Several kinds of runs meet the same machine and the same release.
  const marks = histories.flatMap(({ kind, found }) => (found?.marks ?? []).map(mark => ({ mark, kind: kind.label })));
  const fresh = [...grouped(marks, ({ mark }) => `${day(mark.started_at)} ${markText(mark)}`).values()].map(own => {
    const since = Math.min(...own.map(({ mark }) => mark.started_at));
    const where = [listed([...new Set(own.map(({ kind }) => kind))])];
    const what = own.slice(0, 1).map(({ mark }) => markText(mark));
    return { started_at: since, element: item({ sign: '◇', tone: ['still', ''], what, where, since }) };
  });
  const probed = (orNull(story)?.changes ?? []).map(change => ({
    started_at: change.started_at,
    element: probeItem(context, names.app(change.app), change.case, change),
  }));
  return [...moved, ...fresh, ...probed];
}
