// The frame around every view: name, navigation, lane, search, theme, and the foot with the other ways to the data.
import { inRepository } from '../data/repository';
import type { Index, Lane } from '../data/types';
import { h, link } from '../ui/dom';
import { date } from '../ui/format';
import { address, type Route } from './route';
import type { ViewName } from './views';

export const NAVIGATION: [ViewName, string][] = [
  ['news', 'News'],
  ['overview', 'Overview'],
  ['now', 'Now'],
  ['compare', 'Compare'],
  ['trends', 'Trends'],
  ['framework', 'Frameworks'],
  ['ratios', 'What if'],
  ['breaks', 'What breaks'],
  ['method', 'Method'],
];

const LANE_NAMES: Record<string, string> = {
  'hosted-x64': 'Hosted x86-64',
  'hosted-arm64': 'Hosted arm64',
  'self-hosted': 'Dedicated machine',
  local: 'This machine',
};

export function laneLabel(lane: string): string {
  const [place = lane, profile] = lane.split(':');
  const label = LANE_NAMES[place] ?? place;
  return profile === undefined ? label : `${label}, ${profile}`;
}

/** What is reached from another view, and shown as part of it. */
const PART_OF: Partial<Record<ViewName, ViewName>> = { run: 'news' };

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
  const links = NAVIGATION.map(([view, label]) => ({ view, link: link(address(view), label) }));
  const lanes = h('select', { id: 'lane', 'aria-label': 'Machine: where the runs were made' });
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
        { class: 'brand', href: address('overview') },
        mark(),
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
      const current = PART_OF[route.view] ?? route.view;
      for (const { view, link } of links) {
        link.href = address(view, null, { lane: lane?.name ?? null });
        link.hidden = view !== current && !hasFigures(view, index, lane);
        if (view !== current) {
          link.removeAttribute('aria-current');
          continue;
        }
        link.setAttribute('aria-current', 'page');
        // On a phone the row of views is wider than the screen.
        const { parentElement: row } = link;
        row?.scrollTo({ left: link.offsetLeft - (row.clientWidth - link.offsetWidth) / 2 });
      }
      foot.replaceChildren(...footing(lane));
    },
  };
}

/** What may have nothing to show is in some profiles only. */
const PROFILES: Partial<Record<string, string[]>> = {
  variants: ['weekly', 'variants'],
  protocols: ['weekly', 'protocols'],
  scaling: ['scaling'],
  ratios: ['weekly', 'variants', 'protocols', 'scaling'],
};

/** Whether a view, or a group of questions in it, has something to show; history takes two runs. */
export function hasFigures(view: string, index: Index | null, lane: Lane | null): boolean {
  if (view === 'trends' || view === 'news') return (lane?.runs ?? 0) > 1;
  const profiles = PROFILES[view];
  const lanes = [...(index?.lanes.values() ?? [])].filter(({ place }) => place === lane?.place);
  return profiles === undefined || lanes.some(({ profile }) => profiles.includes(profile));
}

function footing(lane: Lane | null): Node[] {
  const newest = lane?.newest ?? null;
  const older = inRepository('scripts/harness/docs/older-benchmarks.md');
  return [
    h(
      'p',
      {},
      lane && newest
        ? [
            `${laneLabel(lane.name)}: `,
            link(address('run', null, { lane: lane.name }), `${lane.runs.toLocaleString('en')} runs`),
            `, the newest of ${date(newest.started_at)}.`,
          ]
        : 'Nothing measured yet.',
    ),
    h(
      'p',
      { class: 'links' },
      // A lane of this machine has none.
      lane && lane.place !== 'local' ? link(`./charts/${lane.place}/`, 'Charts by github-action-benchmark') : null,
      older && link(older, 'Older benchmarks, answered'),
      link('./feed.xml', 'Feed of confirmed changes (Atom)'),
      link('./data/index.json', 'Data as JSON'),
      link('./assets/licences.md', 'Licences'),
    ),
  ];
}

/** The page's icon. */
function mark(): HTMLElement {
  const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  const mark = h('span', { class: 'mark', 'aria-hidden': 'true' });
  if (icon !== null) mark.style.backgroundImage = `url("${icon.href}")`;
  return mark;
}
