// The search box: frameworks, scenarios and runs of the lane. `/` leads to it from anywhere, arrows choose, Escape closes.
import { allRuns, newestRun } from '../data/runs';
import { fullTitle } from '../data/scenarios';
import { h } from '../ui/dom';
import { date } from '../ui/format';
import type { Context } from './context';

export interface Entry {
  kind: 'framework' | 'scenario' | 'run';
  text: string;
  detail: string;
  address: string;
}

const MOST_SHOWN = 12;

/** Whole words first, then beginnings, then anything within. */
export function find(entries: Entry[], query: string): Entry[] {
  const wanted = query.trim().toLowerCase();
  if (wanted === '') return [];
  const score = ({ text, detail }: Entry) => {
    const place = text.toLowerCase().indexOf(wanted);
    if (place === 0) return 0;
    if (place > 0) return 1;
    return detail.toLowerCase().includes(wanted) ? 2 : 3;
  };
  return entries
    .map(entry => ({ entry, score: score(entry) }))
    .filter(({ score }) => score < 3)
    .sort((a, b) => a.score - b.score)
    .slice(0, MOST_SHOWN)
    .map(({ entry }) => entry);
}

async function entriesOf(context: Context): Promise<Entry[]> {
  const { lane, store, to } = context;
  const newest = (await newestRun(store, lane))?.period;
  if (newest === undefined) return [];
  const runs = [...(await allRuns(store, lane)), ...lane.partial];
  const apps = new Map([...newest.subjects.values()].map(subject => [subject.app, subject]));
  return [
    ...[...apps.values()].map(
      (subject): Entry => ({
        kind: 'framework',
        text: subject.name,
        detail: subject.app,
        address: to('framework', subject.app),
      }),
    ),
    ...[...newest.scenarios.values()].map(
      (scenario): Entry => ({
        kind: 'scenario',
        text: fullTitle(scenario, newest.scenarios),
        detail: scenario.id,
        address: to('now', null, { scenario: scenario.id }),
      }),
    ),
    ...runs.map(
      (run): Entry => ({
        kind: 'run',
        text: `${date(run.started_at)}, ${run.profile}`,
        detail: run.id,
        address: to('run', run.id),
      }),
    ),
  ];
}

/** The box; `context` tells where the reader is now, for it outlives the views. */
export function searchBox(context: () => Context | null): HTMLElement {
  const input = h('input', {
    id: 'search',
    type: 'search',
    role: 'combobox',
    placeholder: 'Search',
    autocomplete: 'off',
    'aria-label': 'Search frameworks, scenarios and runs (key: /)',
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
    const found = find(await entriesOf(here), query);
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
      results.append(h('li', { role: 'option', 'aria-disabled': 'true' }, 'Nothing of that name in this lane'));
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
