// Files that the page makes by itself.
import { h } from './dom';

/** Hands it over under this name. */
export function save(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  h('a', { href: address, download: name }).click();
  // The browser has taken the file by then.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
