// The changes of one framework, newest first.
import type { Context } from '../../app/context';
import { appNames } from '../../data/names';
import { isProblem } from '../../data/store';
import type { Period } from '../../data/types';
import { changeItem, newestFirst, noHistory, once } from '../../ui/changes';
import { button } from '../../ui/controls';
import { type Children, h } from '../../ui/dom';
import { faint, titled } from '../../ui/parts';

const SHOWN = 8;

export async function changesOf(context: Context, app: string, period: Period): Promise<HTMLElement> {
  const changes = await context.store.changes(context.lane.name);
  const section = (...content: Children[]) => titled('What changed', content);
  if (isProblem(changes)) {
    return section(faint(noHistory(changes)));
  }
  const found = once(newestFirst(changes.changes.filter(change => change.app === app)));
  if (found.length === 0) return section(faint('Nothing moved so far.'));
  const all = context.parameter('changes') === 'all' || found.length <= SHOWN;
  const names = { app: appNames(period), scenarios: period.scenarios };
  return section(
    h(
      'ul',
      { class: 'changes' },
      (all ? found : found.slice(0, SHOWN)).map(({ change, elsewhere }) =>
        changeItem(change, names, context, elsewhere),
      ),
    ),
    all ? null : button('all-changes', `All ${found.length} changes`, () => context.go({ changes: 'all' })),
  );
}
