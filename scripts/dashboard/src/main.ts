// Where the page begins: reads the index, builds the frame, and hands over to the router.
import './style/tokens.css';
import './style/base.css';
import './style/controls.css';
import './style/tables.css';
import './style/now.css';
import './style/differences.css';
import './style/trends.css';
import './style/pages.css';
import './style/breaks.css';
import './style/overview.css';
import './style/narrow.css';
import './style/print.css';
import type { Context } from './app/context';
import { parseRoute } from './app/route';
import { Router } from './app/router';
import { searchBox } from './app/search';
import { shell } from './app/shell';
import { themeButton } from './app/theme';
import { loadView } from './app/views';
import { isProblem, Store } from './data/store';
import { h } from './ui/dom';
import { notice } from './ui/parts';

/** Without an `await` at the top: a module that others wait for could not share its code with theirs. */
async function start(): Promise<void> {
  const store = new Store(new URL('.', document.baseURI));
  const reading = store.index();
  // Code that is not here yet comes while the index is on its way; should it fail, the router says so.
  void loadView(parseRoute(location.hash).view).catch(() => null);
  const index = await reading;

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

void start();
