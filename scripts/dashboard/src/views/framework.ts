// One page for each framework: all its figures over all scenarios, its variants, its versions over time, what changed.
import type { Context, Shown } from '../app/context';
import { versionOf } from '../data/names';
import { inRepository } from '../data/repository';
import { findRun } from '../data/runs';
import { fullTitle, protocolLabel, shortTitle } from '../data/scenarios';
import type { Period, Run, RunFigures, Subject, Tier } from '../data/types';
import { h, link } from '../ui/dom';
import { bytes } from '../ui/format';
import { filling } from '../ui/late';
import { emptyView, eyebrow, facts, joined, measuredOn, notice } from '../ui/parts';
import { all } from './framework/all';
import { figuresOf } from './framework/figures';
import { changesOf, versionsOf } from './framework/history';
import { releasesOf } from './framework/releases';
import { factsOf, sentencesOf } from './framework/sentences';

export async function show(context: Context): Promise<Shown> {
  const { lane, store, route } = context;
  if (route.subject === null) return all(context, null);
  const [newest, known] = await Promise.all([findRun(store, lane, null), factsOf(context)]);
  if (typeof newest === 'string') return emptyView('Frameworks', newest);
  const { period } = newest;
  const variants = [...period.subjects.values()].filter(({ app }) => app === route.subject);
  const subject = variants.find(({ variant }) => variant === 'default') ?? variants[0];
  if (subject === undefined) return all(context, route.subject);
  const sentences = sentencesOf(context, newest, subject, known);
  // What is below the first screen comes when that is shown.
  const [released, columns] = [h('div', {}), h('div', { class: 'columns' })];
  const fill = async () => {
    const [releases, ...others] = await Promise.all([
      releasesOf(context, subject.name),
      changesOf(context, subject.app, period),
      versionsOf(context, subject),
    ]);
    if (releases !== null) released.replaceChildren(releases);
    columns.replaceChildren(...others);
  };
  return {
    title: subject.name,
    body: [
      eyebrow(kindOf(subject)),
      h('h1', {}, subject.name),
      measuredOn(
        context,
        period.runs.map(run => ({ run })),
      ),
      sentences,
      subject.known_fault && notice(`Known fault: ${subject.known_fault}`),
      subject.note && notice(`Note: ${subject.note}`),
      figuresOf(context, newest, variants),
      latencyOf(context, newest, variants),
      released,
      columns,
      h('h2', {}, 'The server that was measured'),
      measured(newest.run, period, subject, variants),
      subject.role === 'framework' ? [badge(context, subject), feed(subject)] : null,
    ],
    attached: () => void filling([released, columns], fill),
  };
}

/** Its curves of latency next to the reference's, where a rate was fixed. */
function latencyOf({ to }: Context, { period, series }: RunFigures, variants: Subject[]): HTMLElement | null {
  const reference = [...period.subjects.values()].filter(({ role }) => role === 'reference');
  const curves = [...reference, ...variants].map(({ key }) => key).join(',');
  const rates = [...period.scenarios.values()].filter(
    ({ id, load }) => load.model === 'open' && variants.some(({ key }) => series.get(id)?.subjects.includes(key)),
  );
  const links = rates.map(rate =>
    link(to('now', null, { scenario: rate.id, curves }), fullTitle(rate, period.scenarios)),
  );
  return links.length === 0
    ? null
    : h('p', {}, 'Latency at fixed rates, next to the reference’s: ', joined(links, ' · '));
}

const kindOf = ({ role, tier }: Subject): string => {
  if (role !== 'framework')
    return role === 'reference'
      ? 'Reference: the frozen server that all are divided by'
      : 'Ceiling: what the load generator can reach';
  return WHAT[tier];
};

const WHAT: Record<Tier, string> = {
  maintained: 'Framework',
  engine: 'Engine: HTTP without a framework',
  legacy: 'Legacy framework, no longer moved',
  own_stack: 'Framework with a database driver of its own',
  driver: 'Framework with one of several database drivers',
};

function measured(run: Run, period: Period, subject: Subject, variants: Subject[]): HTMLElement {
  const size = period.binary_bytes.get(subject.key)?.findLast(each => each !== null) ?? null;
  const folder = folderOf(subject);
  const source = run.commit == null ? null : inRepository(folder, run.commit);
  return facts([
    ['Version', versionOf(period, subject.key)],
    ['Crate', subject.framework],
    ['Program', size && bytes(size)],
    ['Speaks', subject.protocols.map(protocolLabel).join(', ')],
    ['Does not offer', [...subject.services.keys()].map(kind => shortTitle(kind)).join(', ')],
    ['Variants', variants.length > 1 && variants.map(({ variant }) => variant).join(', ')],
    ['Source', source === null ? folder : link(source, folder)],
    [
      'Home',
      subject.link && h('a', { href: subject.link, rel: 'noreferrer' }, subject.link.replace(/^https?:\/\//, '')),
    ],
  ]);
}

/** Where the sources of an app are: servers with a database, with features, and of legacy frameworks are workspaces of their own. */
function folderOf({ app, tier }: Subject): string {
  if (tier === 'legacy') return `apps/legacy/${app}`;
  if (app.endsWith('-services')) return `apps/services/${app}`;
  return `apps/${tier === 'driver' || app.endsWith('-postgres') ? 'postgres/' : ''}${app}`;
}

const feed = ({ app, name }: Subject): HTMLElement =>
  h('p', {}, link(`./feed-${app}.xml`, `Feed of confirmed changes of ${name} (Atom)`));

/** For the framework's own README. */
function badge({ store, lane }: Context, { app, name }: Subject): HTMLElement {
  const data = store.address(`data/${lane.place}/badges/${app}.json`);
  const here = new URL(`#/framework/${encodeURIComponent(app)}`, document.baseURI).href;
  const text = `[![${name}, measured](https://img.shields.io/endpoint?url=${encodeURIComponent(data)})](${here})`;
  return h(
    'label',
    { class: 'field badge', for: 'badge' },
    h('span', {}, 'Badge for a README'),
    h('input', {
      id: 'badge',
      type: 'text',
      readonly: true,
      value: text,
      onfocus: event => (event.target as HTMLInputElement).select(),
    }),
  );
}
