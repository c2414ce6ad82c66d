// Reads the index, builds the frame, and hands over to the router.
import { isProblem, Store } from '../data/store';
import { h } from '../ui/dom';
import { notice } from '../ui/parts';
import type { Context } from './context';
import { Router } from './router';
import { searchBox } from './search';
import { shell } from './shell';
import { themeButton } from './theme';

export async function start(base: URL): Promise<void> {
  const store = new Store(base);
  const index = await store.index();
  let router: Router | null = null;
  const frame = shell(
    isProblem(index) ? null : index,
    searchBox((): Context | null => router?.context ?? null),
    themeButton(() => void router?.show()),
    lane => router?.chooseLane(lane),
  );
  if (isProblem(index)) {
    frame.main.replaceChildren(h('h1', {}, 'No figures'), notice(index.problem));
    performance.mark('view-shown');
  } else {
    router = new Router(store, index, frame);
    router.start();
  }
}
