// Which cases began or ceased to fail, and what else was different then.
import type { Context } from '../../app/context';
import { keyOf } from '../../data/breaks';
import { subjectName } from '../../data/names';
import { isProblem } from '../../data/store';
import type { Breaks } from '../../data/types';
import { causesText } from '../../ui/changes';
import { h } from '../../ui/dom';
import { day } from '../../ui/format';

const SHOWN = 20;

/** Of all servers, or of one app's; `null` where probes were made only once. */
export async function changed(context: Context, breaks: Breaks, app: string | null): Promise<HTMLElement | null> {
  const story = await context.store.probeChanges();
  if (isProblem(story) || story.runs.length < 2) return null;
  const changes = story.changes.filter(change => app === null || change.app === app).slice(0, SHOWN);
  const names = new Map(breaks.servers.map(server => [keyOf(server), subjectName(server)]));
  return h(
    'section',
    {},
    h('h2', {}, 'What began or ceased to fail'),
    changes.length === 0 ? h('p', { class: 'faint' }, 'Nothing so far.') : null,
    h(
      'ul',
      { class: 'changes' },
      changes.map(change => {
        const key = keyOf(change);
        return h(
          'li',
          { class: `change ${change.fails ? 'bad' : 'good'}` },
          h('span', { class: 'sign', 'aria-hidden': 'true' }, change.fails ? '▼' : '▲'),
          h(
            'div',
            {},
            h(
              'p',
              { class: 'what' },
              h('a', { href: context.to('breaks', key, { case: change.case }) }, names.get(key) ?? key),
              `: ${breaks.cases.get(change.case)?.title ?? change.case} ${change.fails ? 'fails' : 'passes'} since then`,
            ),
            h(
              'p',
              { class: 'why' },
              `${day(change.started_at)} · `,
              h('span', { class: 'cause' }, causesText(change.causes)),
            ),
          ),
        );
      }),
    ),
  );
}
