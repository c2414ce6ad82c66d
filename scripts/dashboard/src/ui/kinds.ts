// The kinds of runs of a lane, where it has more than one: links, for another kind has other servers, scenarios and figures.
import type { Context } from '../app/context';
import { address } from '../app/route';
import type { ViewName } from '../app/views';
import { kindsOf } from '../data/kinds';
import { h } from './dom';

export function kindsOfRun({ index, lane }: Context, view: ViewName): HTMLElement[] {
  const kinds = kindsOf(index, lane);
  if (kinds.length < 2) return [];
  return [
    h(
      'nav',
      { class: 'run-kinds', 'aria-label': 'Kind of run' },
      kinds.map(kind =>
        h(
          'a',
          {
            id: `run-kind-${kind.lane.split(':')[1] ?? 'principal'}`,
            href: address(view, null, { lane: kind.lane }),
            'aria-current': kind.lane === lane.name ? 'true' : null,
          },
          kind.label,
        ),
      ),
    ),
  ];
}
