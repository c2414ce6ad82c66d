// Turns the address into a view: finds the lane, loads the view's module, builds it, and only then swaps it in, so that the
// page does not flicker. Focus and scroll stay where they were as long as the view is the same.
import { chosenLane } from '../data/lanes';
import type { Store } from '../data/store';
import type { Index, Lane } from '../data/types';
import { append, h } from '../ui/dom';
import { emptyView, notice } from '../ui/parts';
import type { Context, Shown } from './context';
import { address, formatRoute, type Patch, parseRoute, patched, type Route } from './route';
import type { Shell } from './shell';
import { loadView } from './views';

export class Router {
  context: Context | null = null;
  readonly #store: Store;
  readonly #index: Index;
  readonly #shell: Shell;
  #shown: Shown | null = null;
  /** Counts navigations, so that a slow view does not replace a later one. */
  #turn = 0;
  #last: string | null = null;
  /** The part of its view that the address led to. */
  #at = '';

  constructor(store: Store, index: Index, shell: Shell) {
    this.#store = store;
    this.#index = index;
    this.#shell = shell;
  }

  start(): void {
    addEventListener('hashchange', () => void this.show());
    void this.show();
  }

  chooseLane(lane: string): void {
    const { view, subject } = parseRoute(location.hash);
    // Another lane has other frameworks and runs, but the same questions.
    location.hash = address(view, view === 'ratios' ? subject : null, { lane });
  }

  async show(): Promise<void> {
    const turn = ++this.#turn;
    const route = parseRoute(location.hash);
    const lane = chosenLane(this.#index, route.parameters.get('lane'));
    const { main } = this.#shell;
    this.#shell.update(route, lane);
    if (lane === null) {
      main.replaceChildren(h('h1', {}, 'Nothing measured yet'), notice('data/index.json names no lane.'));
      performance.mark('view-shown');
      return;
    }
    const context = this.#contextOf(route, lane);
    this.context = context;
    main.setAttribute('aria-busy', 'true');
    const shown = await this.#build(context);
    if (turn !== this.#turn) return;
    this.#swap(context, shown);
  }

  async #build(context: Context): Promise<Shown> {
    try {
      const view = await loadView(context.route.view);
      return await view.show(context);
    } catch (error) {
      // Code that could not be loaded, or a fault of the view: the reader keeps the frame and learns why.
      const why = error instanceof Error ? error.message : String(error);
      return emptyView('Not shown', why, 'This view could not be shown');
    }
  }

  #swap(context: Context, shown: Shown): void {
    const { main } = this.#shell;
    this.#shown?.leave?.();
    this.#shown = shown;
    const place = `${context.route.view}/${context.route.subject}/${context.lane.name}`;
    const sameView = this.#last === place;
    const first = this.#last === null;
    this.#last = place;
    const focused = document.activeElement?.id ?? '';
    const open = new Set([...main.querySelectorAll('details[open][id]')].map(details => details.id));
    const scroll = window.scrollY;

    document.title = `${shown.title} · Rust web frameworks, measured`;
    main.replaceChildren();
    append(main, shown.body);
    main.removeAttribute('aria-busy');
    shown.attached?.();
    performance.mark('view-shown');
    if (sameView) {
      for (const id of open) unfold(document.getElementById(id));
      document.getElementById(focused)?.focus({ preventScroll: true });
      window.scrollTo(0, scroll);
    } else if (!first) {
      window.scrollTo(0, 0);
      main.focus({ preventScroll: true });
    }
    const at = context.parameter('at') ?? '';
    if (at !== this.#at) document.getElementById(at)?.focus();
    this.#at = at;
  }

  #contextOf(route: Route, lane: Lane): Context {
    return {
      route,
      lane,
      store: this.#store,
      index: this.#index,
      parameter: name => route.parameters.get(name) ?? null,
      go: (patch: Patch) => {
        location.hash = formatRoute(patched(parseRoute(location.hash), { lane: lane.name, ...patch }));
      },
      to: (view, subject = null, parameters = {}) => address(view, subject, { lane: lane.name, ...parameters }),
    };
  }
}

/** Opens it and has it built at once: the browser would say so later, and what had the focus may be inside. */
function unfold(details: HTMLElement | null): void {
  details?.setAttribute('open', '');
  details?.dispatchEvent(new Event('toggle'));
}
