// What every view is given, and what it gives back.
import type { Store } from '../data/store';
import type { Index, Lane } from '../data/types';
import type { Children } from '../ui/dom';
import type { Patch, Route } from './route';
import type { ViewName } from './views';

export interface Context {
  route: Route;
  store: Store;
  index: Index;
  lane: Lane;
  /** A parameter of the address, or `null`. */
  parameter(name: string): string | null;
  /** Changes parameters of the address, which shows the view again. */
  go(patch: Patch): void;
  /** An address within this lane. */
  to(view: ViewName, subject?: string | null, parameters?: Patch): string;
}

export interface Shown {
  title: string;
  /** What is `null` is left out. */
  body: Children;
  /** Called once the body is in the document: what needs a size is drawn then. */
  attached?: () => void;
  /** Called before another view takes the place. */
  leave?: () => void;
}
