// Next to a name: how many of a standard's demands the framework fails, for a fast server that loses requests is not fast, and a change
// that the history confirmed.
import type { Context } from '../../app/context';
import { failedRules, MANY, probedAs } from '../../data/breaks';
import type { Metric } from '../../data/metrics';
import { keyOf } from '../../data/names';
import type { Snapshot } from '../../data/snapshot';
import { orNull } from '../../data/store';
import { causesText, newestFirst, toneOf } from '../../ui/changes';
import { append, h } from '../../ui/dom';
import { day, percent, plural } from '../../ui/format';

/** How long a change is news, in milliseconds. */
const LATELY = 183 * 86_400_000;

/** `places` are by the key of a subject. Where nothing fails, or nothing was probed, nothing is said. */
export async function marks(
  { store, lane, to }: Context,
  { scenario: { id: scenario }, run }: Snapshot,
  { id: metric }: Metric,
  places: Map<string, HTMLElement>,
): Promise<void> {
  const [rules, known] = await Promise.all([failedRules(store), store.changes(lane)]);
  const lasting = newestFirst(orNull(known)?.changes ?? []).filter(
    ({ started_at: at, ...change }) =>
      change.scenario === scenario &&
      change.metric === metric &&
      change.state === 'confirmed' &&
      change.ended === null &&
      at <= run.started_at &&
      at >= run.started_at - LATELY,
  );
  const title = 'Cases that a standard or the contract demands without exception';
  for (const [key, place] of places) {
    const failed = rules(key) ?? 0;
    const kind = failed >= MANY ? 'many' : null;
    const breaks = to('breaks', probedAs(key), { level: 'must' });
    const change = lasting.find(each => keyOf(each) === key);
    const trend = to('trends', null, { scenario, metric, apps: key });
    append(place, [
      failed > 0 && [h('a', { class: kind, href: breaks, title }, `breaks ${plural(failed, 'HTTP rule')}`), ' '],
      change &&
        h(
          'a',
          { class: toneOf(change)[0], href: trend, title: causesText(change.causes) },
          `${percent(change.size)} since ${day(change.started_at)}`,
        ),
    ]);
  }
}
