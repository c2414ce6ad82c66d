// Parts of a view that are filled in after it is shown. Until then each says that it is busy: to screen readers, and to tests,
// which look at a page when nothing of it is busy any more.

/** Does what fills these places. */
export async function filling(places: Iterable<Element>, work: () => Promise<void>): Promise<void> {
  const busy = [...places];
  for (const place of busy) place.setAttribute('aria-busy', 'true');
  try {
    await work();
  } finally {
    for (const place of busy) place.removeAttribute('aria-busy');
  }
}

/** Ends when the browser has nothing more urgent to do: a sparkline is worth a look and not a wait. */
export const painted = (): Promise<void> =>
  new Promise(done => {
    if ('requestIdleCallback' in window) requestIdleCallback(() => done(), { timeout: 1500 });
    else setTimeout(done, 200);
  });
