// Copies the address of what is shown, with its run: without that, a link shows newer figures later.
import type { Context } from '../app/context';
import { formatRoute, type Patch, parseRoute, patched } from '../app/route';
import { button } from './controls';

export function copyLink({ lane }: Context, pinned: Patch): HTMLElement {
  const route = patched(parseRoute(location.hash), { lane: lane.name, ...pinned });
  const copy = button('copy-link', 'Copy link', () => {
    const address = new URL(formatRoute(route), document.baseURI).href;
    void navigator.clipboard.writeText(address).then(() => {
      copy.textContent = 'Copied';
    });
  });
  copy.title = 'The address of these figures, whatever is measured later';
  return copy;
}
