// Which cases began or ceased to fail, and what else was different then.
import type { Context } from '../../app/context';
import { keyOf, subjectName } from '../../data/names';
import { isProblem } from '../../data/store';
import type { Breaks } from '../../data/types';
import { item } from '../../ui/changes';
import { h } from '../../ui/dom';
import { faint, titled } from '../../ui/parts';

const SHOWN = 20;

/** Of all servers, or of one app's; `null` where probes were made only once. */
export async function changed(context: Context, breaks: Breaks, app: string | null): Promise<HTMLElement | null> {
  const story = await context.store.probeChanges();
  if (isProblem(story) || story.runs.length < 2) return null;
  const changes = story.changes.filter(change => app === null || change.app === app).slice(0, SHOWN);
  const names = new Map(breaks.servers.map(server => [keyOf(server), subjectName(server)]));
  const items = changes.map(change => {
    const key = keyOf(change);
    const what = `: ${breaks.cases.get(change.case)?.title ?? change.case} ${change.fails ? 'fails' : 'passes'} since then`;
    return item({
      sign: change.fails ? '▼' : '▲',
      tone: [change.fails ? 'bad' : 'good', ''],
      what: [h('a', { href: context.to('breaks', key, { case: change.case }) }, names.get(key) ?? key), what],
      where: [],
      since: change.started_at,
      causes: change.causes,
    });
  });
  return titled(
    'What began or ceased to fail',
    items.length === 0 ? faint('Nothing so far.') : h('ul', { class: 'changes' }, items),
  );
}
