// How many of a standard's demands a framework fails, next to its name: a fast server that loses requests is not fast.
import type { Context } from '../../app/context';
import { labelOf } from '../../data/breaks';
import { isProblem } from '../../data/store';
import type { Period } from '../../data/types';
import { h } from '../../ui/dom';
import { plural } from '../../ui/format';

/** From so many on they are no detail. */
export const MANY = 20;

/** `places` are by the key of a subject. Where nothing fails, or nothing was probed, nothing is said. */
export async function marks(context: Context, period: Period, places: Map<string, HTMLElement>): Promise<void> {
  const story = await context.store.probeChanges();
  const newest = isProblem(story) ? undefined : story.runs.at(-1);
  for (const [key, place] of places) {
    const subject = period.subjects.get(key);
    const failed = subject === undefined ? 0 : (newest?.failed.get(labelOf(subject)) ?? 0);
    if (failed === 0) continue;
    const title = 'Cases that a standard or the contract demands without exception';
    place.replaceChildren(
      h(
        'a',
        { class: failed >= MANY ? 'many' : null, href: context.to('breaks', key, { level: 'must' }), title },
        `breaks ${plural(failed, 'HTTP rule')}`,
      ),
    );
  }
}
