// The kinds of runs of a lane, where it has more than one: links, for another kind has other servers, scenarios and figures.
import type { Context } from '../app/context';
import { address } from '../app/route';
import type { ViewName } from '../app/views';
import { kindsOf } from '../data/kinds';
import { linkChoice } from './controls';

export function kindsOfRun({ index, lane }: Context, view: ViewName): HTMLElement | null {
  const kinds = kindsOf(index, lane);
  if (kinds.length < 2) return null;
  const links = kinds.map(kind => ({
    id: `run-kind-${kind.lane.split(':')[1] ?? 'principal'}`,
    href: address(view, null, { lane: kind.lane }),
    text: kind.label,
    isHere: kind.lane === lane.name,
  }));
  return linkChoice('Kind of run', links);
}
