// The newest changes of one framework.
import type { Context } from '../../app/context';
import { appNames } from '../../data/names';
import { isProblem } from '../../data/store';
import type { Period } from '../../data/types';
import { changeItem, changeList, newestFirst, noHistory, once } from '../../ui/changes';
import { faint, titled } from '../../ui/parts';

const SHOWN = 8;

export async function changesOf(context: Context, app: string, period: Period): Promise<HTMLElement> {
  const changes = await context.store.changes(context.lane);
  if (isProblem(changes)) return titled('What changed', faint(noHistory(changes)));
  const found = once(newestFirst(changes.changes.filter(change => change.app === app))).slice(0, SHOWN);
  const names = { app: appNames(period), scenarios: period.scenarios };
  return titled(
    'What changed',
    changeList(
      found.map(({ change, elsewhere }) => changeItem(change, names, context, elsewhere)),
      'Nothing moved so far.',
    ),
  );
}
