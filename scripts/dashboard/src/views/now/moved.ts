// The newest confirmed changes of the lane, filled in when changes.json is there: the figures do not wait for it.
import type { Context } from '../../app/context';
import { appNames } from '../../data/names';
import { isProblem } from '../../data/store';
import type { Period } from '../../data/types';
import { changeItem, newestFirst, noHistory, once } from '../../ui/changes';
import { h } from '../../ui/dom';
import { filling } from '../../ui/late';
import { faint } from '../../ui/parts';

const SHOWN = 5;

export function moved(context: Context, period: Period, scenario: string): HTMLElement {
  const list = h('ul', { class: 'changes' });
  const note = faint('Looking…');
  const section = h('section', { class: 'moved-lately' }, h('h2', {}, 'What moved lately'), list, note);
  void filling([section], fill);
  return section;

  async function fill(): Promise<void> {
    const changes = await context.store.changes(context.lane.name);
    if (isProblem(changes)) {
      note.textContent = noHistory(changes);
      return;
    }
    const confirmed = once(newestFirst(changes.changes.filter(change => change.state === 'confirmed')), scenario);
    list.replaceChildren(
      ...confirmed
        .slice(0, SHOWN)
        .map(({ change, elsewhere }) =>
          changeItem(change, { app: appNames(period), scenarios: period.scenarios }, context, elsewhere),
        ),
    );
    note.textContent =
      confirmed.length === 0
        ? 'Nothing moved for certain so far.'
        : confirmed.length > SHOWN
          ? `${confirmed.length.toLocaleString('en')} confirmed changes in all: Trends lists them.`
          : '';
  }
}
