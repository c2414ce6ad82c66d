// All frameworks: what each speaks and offers, for who chooses by that before microseconds.
import type { Context, Shown } from '../../app/context';
import { KINDS } from '../../data/snapshot';
import type { Subject } from '../../data/types';
import { h } from '../../ui/dom';
import { plural } from '../../ui/format';
import { notice, titled } from '../../ui/parts';
import { type Column, table } from '../../ui/table';

const YES = '✓';

interface Row {
  subject: Subject;
  version: string;
  protocols: Set<string>;
  /** Of its server with service features; `null` without one. */
  notOffered: Map<string, string> | null;
  hasDatabase: boolean;
}

/** Also for a name that the newest runs do not know. */
export async function all(context: Context, named: string | null): Promise<Shown> {
  const found = await context.store.newestOfAll(context.lane.place);
  const rows = new Map<string, Row>();
  const work = new Set<string>();
  for (const { period } of found.values()) {
    for (const scenario of period.scenarios.values()) if (scenario.service) work.add(scenario.service.kind);
    const hasDatabase = [...period.scenarios.values()].some(({ database }) => database != null);
    const hasServices = [...period.scenarios.values()].some(({ service }) => service != null);
    for (const subject of period.subjects.values()) {
      if (subject.variant !== 'default' || subject.role !== 'framework' || subject.tier === 'driver') continue;
      const version = period.versions.get(subject.key)?.findLast(each => each !== null) ?? '';
      const row = rows.get(subject.name) ?? {
        subject,
        version,
        protocols: new Set(),
        notOffered: null,
        hasDatabase: false,
      };
      for (const protocol of subject.protocols) row.protocols.add(protocol);
      row.hasDatabase ||= hasDatabase;
      if (hasServices) row.notOffered = subject.services;
      rows.set(subject.name, row);
    }
  }
  const has = (yes: boolean) => (yes ? YES : '');
  const kinds = [...work];
  const columns: Column<Row>[] = [
    {
      label: 'Framework',
      cell: ({ subject }) => h('a', { href: context.to('framework', subject.app) }, subject.name),
    },
    { label: 'Version', cell: ({ version }) => version },
    { label: 'HTTP/2', cell: ({ protocols }) => has([...protocols].some(each => each.startsWith('http2'))) },
    { label: 'TLS', cell: ({ protocols }) => has([...protocols].some(each => each.endsWith('tls'))) },
    { label: 'PostgreSQL', cell: ({ hasDatabase }) => has(hasDatabase) },
    ...kinds.map(kind => ({
      label: kind,
      cell: ({ notOffered }: Row) => {
        const why = notOffered?.get(kind);
        return why === undefined ? has(notOffered !== null) : h('abbr', { title: why }, '–');
      },
    })),
  ];
  const groups = KINDS.flatMap(({ tier, label }) => {
    const lines = [...rows.values()].filter(({ subject }) => subject.tier === tier);
    lines.sort((a, b) => a.subject.name.localeCompare(b.subject.name));
    return lines.length === 0 ? [] : [titled(label, table(label, columns, lines))];
  });
  return {
    title: 'Frameworks',
    body: [
      h('h1', {}, plural(rows.size, 'framework')),
      named && notice(`${named} is not among what the newest runs measured.`),
      h(
        'p',
        { class: 'reading' },
        `${YES}: measured here. –: the framework documents no way to do it. Empty: no server here does it.`,
      ),
      ...groups,
    ],
  };
}
