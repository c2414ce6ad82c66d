// The search box: frameworks, pairs of them, kinds of work, figures, words, views and runs. `/` leads to it from anywhere, arrows choose, Escape closes.
import { hasOwnPage, kindsOf } from '../data/kinds';
import { METRICS } from '../data/metrics';
import { allRuns, newestRun } from '../data/runs';
import { titlesOf } from '../data/scenarios';
import type { Period } from '../data/types';
import { h } from '../ui/dom';
import { date } from '../ui/format';
import type { Context } from './context';
import type { Patch } from './route';
import { hasFigures, laneLabel, NAVIGATION } from './shell';
import type { ViewName } from './views';

interface Entry {
  kind: 'compare' | 'framework' | 'scenario' | 'figure' | 'view' | 'run';
  text: string;
  detail: string;
  address: string;
}

const MOST_SHOWN = 12;

/** Two names, in any words around them, are a pair to compare. */
function pairOf(entries: Entry[], query: string, to: Context['to']): Entry[] {
  const frameworks = entries.filter(({ kind }) => kind === 'framework');
  const [left, right] = query
    .split(/\s+(?:or|vs\.?|and|against)\s+|\s+/)
    .flatMap(word => (word.length < 3 ? [] : (find(frameworks, word)[0] ?? [])));
  if (left === undefined || right === undefined || left === right) return [];
  const text = `${left.text} or ${right.text}?`;
  const address = to('compare', null, { left: left.detail, right: right.detail });
  return [{ kind: 'compare', text, detail: 'CPU time, side by side', address }];
}

/** Beginnings first, then anything within. */
export function find(entries: Entry[], query: string): Entry[] {
  const plain = (text: string) => text.toLowerCase().replaceAll(',', '');
  const wanted = plain(query.trim());
  if (wanted === '') return [];
  const score = ({ text, detail }: Entry) => {
    const place = plain(text).indexOf(wanted);
    if (place === 0) return 0;
    if (place > 0) return 1;
    return plain(detail).includes(wanted) ? 2 : 3;
  };
  return entries
    .map(entry => ({ entry, score: score(entry) }))
    .filter(({ score }) => score < 3)
    .sort((a, b) => a.score - b.score)
    .slice(0, MOST_SHOWN)
    .map(({ entry }) => entry);
}

/** Words that people look for, and the view that answers. */
const WORDS: [text: string, view: ViewName, parameters: Patch, subject?: string][] = [
  ['PostgreSQL, postgres, database', 'overview', { for: 'postgres' }],
  ['JSON API', 'overview', { for: 'json' }],
  ['static files, uploads, compression', 'overview', { for: 'files' }],
  ['WebSocket, server-sent events, realtime', 'overview', { for: 'realtime' }],
  ['requests per second, req/s, rps, throughput, fastest', 'overview', {}],
  ['memory, RAM, RSS: who needs least', 'now', { metric: 'rss_peak_bytes' }],
  ['idle connections, 1,000 idle WebSockets: memory', 'breaks', { case: 'idle-1000' }],
  ['cite, citation, picture, CSV', 'now', { at: 'cite' }],
  ['Docker, container, ARM, your own machine', 'method', {}],
  ['request smuggling, security, HTTP conformance, RFC', 'breaks', {}],
  ['TLS, HTTP/2: what they cost', 'ratios', {}, 'protocols'],
  ['features: who speaks TLS, HTTP/2, WebSocket', 'framework', {}],
  ['trust, method, confidence interval, how it is measured', 'method', {}],
  ['allocator, jemalloc, mimalloc, JSON library, variants', 'ratios', {}, 'variants'],
  ['scaling, workers, cores', 'ratios', {}, 'scaling'],
  ['runs: what ran when', 'run', {}],
  ['news: what changed last week, releases, new machines', 'news', {}],
  ['regression, slower, faster, history', 'trends', {}],
];

async function entriesOf(context: Context): Promise<Entry[]> {
  const { index, lane, store, to } = context;
  const all = await store.newestOfAll(lane.place);
  const own = await newestRun(store, lane);
  if (own === null) return [];
  const newest = own.period;
  const shown = NAVIGATION.filter(([view]) => hasFigures(view, index, lane));
  const labels = new Map(shown);
  const kinds = kindsOf(index, lane)
    .filter(({ lane: name }) => name !== lane.name && !hasOwnPage(name))
    .map(({ lane: name, profile, label }) => ({ name, label, found: all.get(profile) ?? null }));
  // Not every kind of work has every figure: p99 is there at the higher rates only.
  const withMetric = (id: string): Patch | null => {
    for (const { name, found } of [{ name: lane.name, found: own }, ...kinds]) {
      for (const [scenario, series] of found?.series ?? []) if (series.metrics.has(id)) return { lane: name, scenario };
    }
    return null;
  };
  const runs = [...(await allRuns(store, lane)), ...lane.partial];
  const apps = new Map([...newest.subjects.values()].map(subject => [subject.app, subject]));
  const entry = (kind: Entry['kind'], text: string, detail: string, address: string): Entry => ({
    kind,
    text,
    detail,
    address,
  });
  const works = ({ scenarios }: Period, about: string, parameters: Patch) =>
    [...titlesOf(scenarios)].map(([scenario, title]) =>
      entry('scenario', title, scenario + about, to('now', null, { ...parameters, scenario })),
    );
  return [
    ...[...apps.values()].map(({ name, app }) => entry('framework', name, app, to('framework', app))),
    ...[...index.lanes.values()]
      .filter(({ name, place }) => name === place)
      .map(({ name }) => entry('view', laneLabel(name), 'machine', to('now', null, { lane: name }))),
    ...works(newest, '', {}),
    ...kinds.flatMap(({ name, label, found }) =>
      found === null ? [] : works(found.period, `, ${label}`, { lane: name }),
    ),
    ...shown.map(([view, text]) => entry('view', text, '', to(view))),
    ...WORDS.filter(([, view, , subject]) => hasFigures(subject ?? view, index, lane)).map(
      ([text, view, parameters, subject]) =>
        entry('view', text, labels.get(view) ?? '', to(view, subject ?? null, parameters)),
    ),
    ...[...METRICS.values()].flatMap(({ id, label, reading }) => {
      const place = withMetric(id);
      return place === null ? [] : [entry('figure', label, reading, to('now', null, { ...place, metric: id }))];
    }),
    ...runs.map(run => entry('run', `${date(run.started_at)}, ${run.profile}`, run.id, to('run', run.id))),
  ];
}

/** The box, which outlives the views: `context` returns the current one's. */
export function searchBox(context: () => Context | null): HTMLElement {
  const input = h('input', {
    id: 'search',
    type: 'search',
    role: 'combobox',
    placeholder: 'Search',
    autocomplete: 'off',
    'aria-label': 'Search frameworks, pairs of them, kinds of work and figures (key: /)',
    'aria-expanded': 'false',
    'aria-controls': 'search-results',
    'aria-autocomplete': 'list',
  });
  const results = h('ul', { id: 'search-results', role: 'listbox', 'aria-label': 'Results', hidden: true });
  let shown: Entry[] = [];
  let chosen = -1;
  /** What the results answer: Enter may come before them. */
  let answered = '';

  const mark = () => {
    [...results.children].forEach((item, place) => {
      item.setAttribute('aria-selected', String(place === chosen));
    });
    if (chosen >= 0) input.setAttribute('aria-activedescendant', `search-result-${chosen}`);
    else input.removeAttribute('aria-activedescendant');
  };
  const close = () => {
    results.hidden = true;
    input.setAttribute('aria-expanded', 'false');
    chosen = -1;
    mark();
  };
  const open = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    input.value = '';
    close();
    location.hash = entry.address;
  };
  const update = async () => {
    const here = context();
    const query = input.value;
    if (here === null || query.trim() === '') {
      close();
      return;
    }
    const entries = await entriesOf(here);
    const found = [...pairOf(entries, query, here.to), ...find(entries, query)].slice(0, MOST_SHOWN);
    if (input.value !== query) return;
    answered = query;
    shown = found;
    chosen = shown.length > 0 ? 0 : -1;
    results.replaceChildren(
      ...shown.map((entry, place) =>
        h(
          'li',
          {
            id: `search-result-${place}`,
            role: 'option',
            onclick: () => open(entry),
            onmousedown: e => e.preventDefault(),
          },
          h('span', { class: 'kind' }, entry.kind),
          h('span', { class: 'hit' }, entry.text),
          h('span', { class: 'detail' }, entry.detail),
        ),
      ),
    );
    if (shown.length === 0)
      results.append(h('li', { role: 'option', 'aria-disabled': 'true' }, 'Nothing of that name'));
    results.hidden = false;
    input.setAttribute('aria-expanded', 'true');
    mark();
  };

  input.addEventListener('input', () => void update());
  input.addEventListener('blur', close);
  input.addEventListener('keydown', event => {
    if (event.key === 'Escape') {
      input.value = '';
      close();
      input.blur();
      return;
    }
    if (event.key === 'Enter') {
      if (answered === input.value) open(shown[chosen]);
      else void update().then(() => open(shown[chosen]));
      return;
    }
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    const step = event.key === 'ArrowDown' ? 1 : -1;
    if (shown.length > 0) chosen = (chosen + step + shown.length) % shown.length;
    mark();
  });
  document.addEventListener('keydown', event => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target;
    if (target instanceof HTMLInputElement && target.type !== 'radio' && target.type !== 'checkbox') return;
    if (target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
  return h('div', { class: 'search', role: 'search' }, input, h('kbd', { 'aria-hidden': 'true' }, '/'), results);
}
