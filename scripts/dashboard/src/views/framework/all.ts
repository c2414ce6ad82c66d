// All frameworks: what each speaks and offers, for who chooses by that before microseconds.
import type { Context, Shown } from '../../app/context';
import { versionOf } from '../../data/names';
import { shortTitle } from '../../data/scenarios';
import { KINDS } from '../../data/snapshot';
import type { Subject } from '../../data/types';
import { h, link } from '../../ui/dom';
import { plural } from '../../ui/format';
import { controlLine, filter, joined, measuredOn, notice, titled } from '../../ui/parts';
import { type Column, table } from '../../ui/table';
import { allReleases } from './releases';

interface Row {
  subject: Subject;
  version: string;
  /** What was measured here, by its name. */
  offers: Set<string>;
  /** What it documents no way for, with the reasons. */
  notOffered: Map<string, string>;
}

const PROTOCOLS: [name: string, has: (protocol: string) => boolean][] = [
  ['HTTP/2', protocol => protocol.startsWith('http2')],
  ['TLS', protocol => protocol.endsWith('tls')],
];

/** Also for a name that the newest runs do not know. */
export async function all(context: Context, named: string | null): Promise<Shown> {
  const { index, lane, store } = context;
  const [found, brought] = await Promise.all([store.newestOfAll(lane.place), allReleases(context)]);
  const rows = new Map<string, Row>();
  const features = new Set(PROTOCOLS.map(([name]) => name));
  // A framework is known by its own server, and not by one with a database.
  const principal = found.get(index.lanes.get(lane.place)?.profile ?? '');
  for (const { period } of new Set([...(principal ? [principal] : []), ...found.values()])) {
    const scenarios = [...period.scenarios.values()];
    const work = new Set(scenarios.flatMap(({ service, database }) => service?.kind ?? (database ? 'database' : [])));
    const own = [...work].map(kind => [kind, shortTitle(kind)] as const);
    for (const [, name] of own) features.add(name);
    for (const subject of period.subjects.values()) {
      if (subject.variant !== 'default' || subject.role !== 'framework' || subject.tier === 'driver') continue;
      const version = versionOf(period, subject.key) ?? '';
      const row = rows.get(subject.name) ?? { subject, version, offers: new Set(), notOffered: new Map() };
      for (const [name, has] of PROTOCOLS) if (subject.protocols.some(has)) row.offers.add(name);
      for (const [kind, name] of own) {
        const why = subject.services.get(kind);
        if (why === undefined) row.offers.add(name);
        else row.notOffered.set(name, why);
      }
      rows.set(subject.name, row);
    }
  }
  const wanted = context.parameter('with') ?? '';
  const columns: Column<Row>[] = [
    {
      label: 'Framework',
      cell: ({ subject }) => link(context.to('framework', subject.app), subject.name),
    },
    { label: 'Version', cell: ({ version }) => version },
    {
      label: 'Measured here with',
      prose: true,
      cell: ({ offers }) => [...features].filter(each => offers.has(each)).join(', '),
    },
    {
      label: 'Documents no way for',
      cell: ({ notOffered }) =>
        joined(
          [...notOffered].map(([name, why]) => h('abbr', { title: why }, name)),
          ', ',
        ),
    },
  ];
  const groups = KINDS.flatMap(({ tier, label }) => {
    const lines = [...rows.values()].filter(
      ({ subject, offers }) => subject.tier === tier && (wanted === '' || offers.has(wanted)),
    );
    lines.sort((a, b) => a.subject.name.localeCompare(b.subject.name));
    return lines.length === 0 ? [] : [titled(label, table(label, columns, lines))];
  });
  return {
    title: 'Frameworks',
    body: [
      h('h1', {}, plural(rows.size, 'framework')),
      measuredOn(context, found.values()),
      named && notice(`${named} is not among what the newest runs measured.`),
      controlLine(filter(context, 'with', 'With', [...features], 'any feature')),
      ...groups,
      brought,
    ],
  };
}
