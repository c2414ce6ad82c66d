// The frame around every view: name, navigation, lane, search, theme, and the foot with the other ways to the data.
import type { Index, Lane } from '../data/types';
import { h } from '../ui/dom';
import { date } from '../ui/format';
import { address, type Route, type ViewName } from './route';

const NAVIGATION: [ViewName, string][] = [
  ['now', 'Now'],
  ['overview', 'Overview'],
  ['trends', 'Trends'],
  ['compare', 'Compare'],
  ['framework', 'Frameworks'],
  ['variants', 'Variants'],
  ['scaling', 'Scaling'],
  ['breaks', 'What breaks'],
  ['run', 'Runs'],
  ['method', 'Method'],
];

const LANE_NAMES: Record<string, string> = {
  'hosted-x64': 'Hosted x86-64',
  'hosted-arm64': 'Hosted arm64',
  'self-hosted': 'Own machine',
  local: 'Local',
};

export function laneLabel(lane: string): string {
  const [place = lane, profile] = lane.split(':');
  const label = LANE_NAMES[place] ?? place;
  return profile === undefined ? label : `${label}, ${profile}`;
}

export interface Shell {
  main: HTMLElement;
  /** Shows where the reader is. */
  update(route: Route, lane: Lane | null): void;
}

export function shell(
  index: Index | null,
  search: HTMLElement,
  theme: HTMLElement,
  chooseLane: (lane: string) => void,
): Shell {
  const main = h('main', { id: 'main', tabindex: '-1' });
  const links = NAVIGATION.map(([view, label]) => ({ view, link: h('a', { href: address(view) }, label) }));
  const lanes = h('select', { id: 'lane', 'aria-label': 'Lane: where the runs were made' });
  for (const lane of index?.lanes.keys() ?? []) lanes.append(h('option', { value: lane }, laneLabel(lane)));
  lanes.addEventListener('change', () => chooseLane(lanes.value));
  // A link to #main would be taken for the address of a view.
  const skip = h('button', { type: 'button', class: 'skip', onclick: () => main.focus() }, 'Skip to the content');
  const foot = h('footer', {});
  document.body.replaceChildren(
    skip,
    h(
      'header',
      { class: 'top' },
      h(
        'a',
        { class: 'brand', href: address('now') },
        h('span', { class: 'mark', 'aria-hidden': 'true' }),
        h('span', {}, 'Rust web frameworks, ', h('b', {}, 'measured')),
      ),
      h(
        'nav',
        { 'aria-label': 'Views' },
        links.map(({ link }) => link),
      ),
      h('div', { class: 'tools' }, h('span', { class: 'lane' }, lanes), search, theme),
    ),
    main,
    foot,
  );
  return {
    main,
    update(route, lane) {
      lanes.value = lane?.name ?? '';
      lanes.title = lane === null ? '' : laneLabel(lane.name);
      lanes.disabled = (index?.lanes.size ?? 0) < 2;
      for (const { view, link } of links) {
        link.href = address(view, null, { lane: lane?.name ?? null });
        if (view === route.view) link.setAttribute('aria-current', 'page');
        else link.removeAttribute('aria-current');
      }
      foot.replaceChildren(...footing(lane));
    },
  };
}

function footing(lane: Lane | null): Node[] {
  const newest = lane?.newest ?? null;
  return [
    h(
      'p',
      {},
      lane && newest
        ? `${laneLabel(lane.name)}: ${lane.runs.toLocaleString('en')} runs, the newest of ${date(newest.started_at)}.`
        : 'Nothing measured yet.',
    ),
    h(
      'p',
      { class: 'links' },
      lane ? h('a', { href: `./charts/${lane.place}/` }, 'Charts by github-action-benchmark') : null,
      h('a', { href: './feed.xml' }, 'Feed of confirmed changes'),
      h('a', { href: './data/index.json' }, 'Data as JSON'),
      h('a', { href: './assets/licences.md' }, 'Licences'),
    ),
  ];
}
