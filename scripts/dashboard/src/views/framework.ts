// One page for each framework: all its figures over all scenarios, its variants, its versions over time, what changed.
import type { Context, Shown } from '../app/context';
import { findRun } from '../data/runs';
import { protocolLabel } from '../data/scenarios';
import { KINDS } from '../data/snapshot';
import type { Period, Subject, Tier } from '../data/types';
import { h } from '../ui/dom';
import { bytes, plural } from '../ui/format';
import { notice } from '../ui/notice';
import { breaksOf } from './framework/breaks';
import { changesOf } from './framework/changes';
import { figuresOf } from './framework/figures';
import { latencyOf } from './framework/latency';
import { versionsOf } from './framework/versions';

export async function show(context: Context): Promise<Shown> {
  const { lane, store, route } = context;
  const newest = await findRun(store, lane, null);
  if (typeof newest === 'string') {
    return {
      title: 'Frameworks',
      body: [h('h1', {}, 'Frameworks'), notice(newest)],
    };
  }
  const { period } = newest;
  const variants = [...period.subjects.values()].filter(({ app }) => app === route.subject);
  const subject = variants.find(({ variant }) => variant === 'default') ?? variants[0];
  if (subject === undefined) return overview(context, period, route.subject);
  const [versions, changes, breaks] = await Promise.all([
    versionsOf(context, subject),
    changesOf(context, subject.app, period),
    breaksOf(context, subject.app),
  ]);
  return {
    title: subject.name,
    body: [
      h('p', { class: 'eyebrow' }, kindOf(subject)),
      h('h1', {}, subject.name),
      facts(period, subject, variants),
      subject.known_fault === null ? h('span', {}) : notice(`Known fault: ${subject.known_fault}`),
      figuresOf(context, newest, variants),
      latencyOf(context, newest, variants),
      breaks,
      h('div', { class: 'columns' }, changes, versions),
    ],
  };
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

function facts(period: Period, subject: Subject, variants: Subject[]): HTMLElement {
  const version = period.versions.get(subject.key)?.findLast(each => each !== null) ?? null;
  const size = period.binary_bytes.get(subject.key)?.findLast(each => each !== null) ?? null;
  const items: [string, Node | string][] = [];
  if (version !== null) items.push(['Version', version]);
  if (subject.framework !== null) items.push(['Crate', subject.framework]);
  if (size !== null) items.push(['Program', bytes(size)]);
  if (subject.protocols.length > 0) items.push(['Speaks', subject.protocols.map(protocolLabel).join(', ')]);
  if (subject.services.size > 0) items.push(['Does not offer', [...subject.services.keys()].join(', ')]);
  if (variants.length > 1) items.push(['Variants', variants.map(({ variant }) => variant).join(', ')]);
  if (subject.link !== null)
    items.push(['Home', h('a', { href: subject.link, rel: 'noreferrer' }, subject.link.replace(/^https?:\/\//, ''))]);
  return h(
    'dl',
    { class: 'facts' },
    items.map(([term, text]) => h('div', {}, h('dt', {}, term), h('dd', {}, text))),
  );
}

/** Without a name, or with one that is not known: all of them. */
function overview(context: Context, period: Period, asked: string | null): Shown {
  const defaults = [...period.subjects.values()].filter(({ variant }) => variant === 'default');
  const card = (subject: Subject) => {
    const version = period.versions.get(subject.key)?.findLast(each => each !== null);
    const variants = [...period.subjects.values()].filter(({ app }) => app === subject.app).length;
    return h(
      'li',
      {},
      h(
        'a',
        { class: 'card', href: context.to('framework', subject.app) },
        h('b', {}, subject.name),
        h('span', {}, version ?? ''),
        variants > 1 ? h('span', { class: 'faint' }, plural(variants, 'variant')) : null,
      ),
    );
  };
  const groups = [
    ...KINDS.map(({ tier, label }) => ({
      label,
      subjects: defaults.filter(s => s.role === 'framework' && s.tier === tier),
    })),
    { label: 'To compare with', subjects: defaults.filter(({ role }) => role !== 'framework') },
  ].filter(({ subjects }) => subjects.length > 0);
  return {
    title: 'Frameworks',
    body: [
      h('p', { class: 'eyebrow' }, plural(defaults.length, 'server')),
      h('h1', {}, 'Frameworks'),
      asked === null ? h('span', {}) : notice(`${asked} is not among what the newest runs measured.`),
      ...groups.map(({ label, subjects }) =>
        h(
          'section',
          {},
          h('h2', {}, label),
          h('ul', { class: 'cards' }, subjects.sort((a, b) => a.name.localeCompare(b.name)).map(card)),
        ),
      ),
    ],
  };
}
