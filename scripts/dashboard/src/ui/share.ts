// What is taken away of a view: its address, how to cite it, and its chart as a picture. Each names the run, for later ones find other
// figures.
import type { Context } from '../app/context';
import { formatRoute, type Patch, parseRoute, patched } from '../app/route';
import { picture, pngOf, xmlOf } from '../charts/picture';
import { runsOf } from '../data/runs';
import type { Run } from '../data/types';
import { button } from './controls';
import { h } from './dom';
import { days, listed, machines, plural } from './format';
import { save } from './save';

const SITE = 'Rust web frameworks, measured';
/** More runs than these are named by the first and the last. */
const NAMED = 3;

interface Shared {
  /** What the figures are about. */
  title: string;
  of: Iterable<{ run: Run }>;
  versions: string[];
  /** Parameters that keep the figures, whatever is measured later. */
  pinned: Patch;
  chart: Element;
}

export function share({ lane }: Context, { title, of, versions, pinned, chart }: Shared): HTMLElement | null {
  const route = patched(parseRoute(location.hash), { lane: lane.name, ...pinned });
  const address = new URL(formatRoute(route), document.baseURI).href;
  const runs = runsOf(of);
  if (runs.length === 0) return null;
  const ids = runs.map(({ id }) => id).sort();
  const named = ids.length > NAMED ? `${plural(ids.length, 'run')}, ${ids[0]} to ${ids.at(-1)}` : `run ${listed(ids)}`;
  const from = [`${days(runs)} · ${machines(runs)} · ${named}`, [...new Set(versions)].join(', '), address];
  const copy = (id: string, label: string, text: string) => {
    const press = async () => {
      await navigator.clipboard.writeText(text);
      made.textContent = 'Copied';
    };
    const made = button(id, label, () => void press());
    return made;
  };
  const drawn = () => picture(chart, title, [`${SITE} · ${from[0]}`, ...from.slice(1)]);
  const file = title.toLowerCase().replace(/\W+/g, '-');
  const svg = () => save(`${file}.svg`, new Blob([xmlOf(drawn())], { type: 'image/svg+xml' }));
  return h(
    'div',
    { class: 'buttons share' },
    copy('copy-link', 'Copy link', address),
    copy('cite', 'Cite', `“${title}”, ${SITE}: ${from.join('. ')}`),
    button('picture-svg', 'Picture (SVG)', svg),
    button('picture-png', 'Picture (PNG)', () => void pngOf(drawn()).then(png => save(`${file}.png`, png))),
  );
}
