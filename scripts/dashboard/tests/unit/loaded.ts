// A store that reads the files of a synthetic history, for the tests of a file or of a `describe`.
import { afterEach, beforeEach, vi } from 'vitest';
import { isProblem, Store } from '../../src/data/store';
import type { Lane } from '../../src/data/types';
import type { Files } from '../synthetic/generate';

const BASE = 'https://example.com/';

/** `read` gets what is read, by its path. */
export function loading(files: Files, read: string[] = []) {
  beforeEach(() => {
    read.length = 0;
    vi.stubGlobal('fetch', async (address: string) => {
      read.push(address.slice(BASE.length));
      const found = files.get(address.slice(BASE.length));
      return found === undefined ? new Response('', { status: 404 }) : Response.json(found);
    });
  });
  afterEach(() => vi.unstubAllGlobals());
  return async () => {
    const store = new Store(new URL(BASE));
    const index = await store.index();
    if (isProblem(index)) throw new Error(index.problem);
    return { store, index, lane: (name: string) => index.lanes.get(name) as Lane };
  };
}
