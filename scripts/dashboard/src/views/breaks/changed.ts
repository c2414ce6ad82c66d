// Which cases began or ceased to fail, and what else was different then.
import type { Context } from '../../app/context';
import { keyOf, subjectName } from '../../data/names';
import { isProblem } from '../../data/store';
import type { Breaks, ProbeChanges } from '../../data/types';
import { changeList, item } from '../../ui/changes';
import { link } from '../../ui/dom';
import { titled } from '../../ui/parts';

const SHOWN = 20;

export const probeItem = (
  { to }: Context,
  name: string,
  title: string,
  change: ProbeChanges['changes'][number],
): HTMLElement =>
  item({
    sign: change.fails ? '▼' : '▲',
    tone: [change.fails ? 'bad' : 'good', ''],
    what: [
      link(to('breaks', keyOf(change), { case: change.case }), name),
      `: ${title} ${change.fails ? 'fails' : 'passes'} since then`,
    ],
    since: change.started_at,
    causes: change.causes,
  });

/** Of all servers; `null` where probes were made only once. */
export async function changed(context: Context, breaks: Breaks): Promise<HTMLElement | null> {
  const story = await context.store.probeChanges();
  if (isProblem(story) || story.runs.length < 2) return null;
  const changes = story.changes.slice(0, SHOWN);
  const names = new Map(breaks.servers.map(server => [keyOf(server), subjectName(server)]));
  const items = changes.map(change => {
    const name = names.get(keyOf(change)) ?? keyOf(change);
    return probeItem(context, name, breaks.cases.get(change.case)?.title ?? change.case, change);
  });
  return titled('What began or ceased to fail', changeList(items));
}
