// Frameworks by groups of cases; below, the cases that most of them fail, and what else was measured.

import type { Context } from '../../app/context';
import {
  type Choice,
  type Failures,
  type Found,
  fails,
  failures,
  GROUPS,
  grouped,
  groupLabel,
} from '../../data/breaks';
import { keyOf, subjectName } from '../../data/names';
import type { Breaks, ProbeCase, ProbedServer } from '../../data/types';
import { fold } from '../../ui/controls';
import { type Children, h, link } from '../../ui/dom';
import { MISSING, plural } from '../../ui/format';
import { list, reading } from '../../ui/parts';
import { columnHead, table, tableBox } from '../../ui/table';
import { kept } from '../breaks';

/** Cases that are listed before the rest is folded away. */
const SHOWN = 12;

interface Row {
  server: ProbedServer;
  of: Map<string, Found[]>;
  all: Failures;
  /** Of requests that a proxy and the server may read differently. */
  smuggling: Failures;
}

export function matrix(context: Context, breaks: Breaks, choice: Choice, shown: Found[]): Children {
  const ofServer = grouped(shown, ({ result }) => keyOf(result));
  const rows: Row[] = breaks.servers
    .map(server => {
      const own = ofServer.get(keyOf(server)) ?? [];
      const smuggling = failures(own.filter(each => each.case.smuggles));
      return { server, of: grouped(own, each => each.case.group), all: failures(own), smuggling };
    })
    .sort(
      (a, b) =>
        Number(a.server.not_probed != null) - Number(b.server.not_probed != null) ||
        a.all.must - b.all.must ||
        a.all.other - b.all.other ||
        a.server.name.localeCompare(b.server.name),
    );
  const used = new Set([...breaks.cases.values()].map(({ group }) => group as string));
  const groups = [...GROUPS.keys(), ...[...used].filter(id => !GROUPS.has(id))].filter(id => used.has(id));
  return [
    tableBox(
      'Failed cases of each server',
      [
        'Failed cases: ',
        h('b', {}, 'demanded without exception'),
        choice.level === 'must' ? '' : ' + others',
        `. ${MISSING} where no case could be put to the server.`,
      ],
      [
        columnHead('Server'),
        columnHead('All', true),
        columnHead('Smuggling', true, SMUGGLING),
        ...groups.map(id => columnHead(groupLabel(id), true)),
      ],
      [rows.map(row => line(context, choice, groups, row))],
      'matrix',
    ),
    worst(context, choice, breaks, shown),
    measured(context, choice, breaks, shown),
  ];
}

const TIERS: Partial<Record<ProbedServer['tier'], string>> = { engine: 'engine', legacy: 'legacy' };

const SMUGGLING = 'Requests that a proxy and the server may read differently; counted in their groups, too';

function line(context: Context, choice: Choice, groups: string[], { server, of, all, smuggling }: Row): HTMLElement {
  const key = keyOf(server);
  const kind = server.role === 'framework' ? TIERS[server.tier] : server.role;
  const name = h(
    'th',
    { scope: 'row' },
    link(context.to('breaks', key, kept(choice)), subjectName(server)),
    ' ',
    h('span', { class: 'version' }, [server.version, kind].filter(Boolean).join(' · ')),
  );
  if (server.not_probed != null)
    return h('tr', {}, name, h('td', { colspan: groups.length + 2 }, `not probed: ${server.not_probed}`));
  const cell = (id: string) => {
    const made = (server.made.get(id) ?? 0) > 0;
    const address = context.to('breaks', key, { group: id, ...kept(choice) });
    return h('td', { class: 'figure' }, made ? count(failures(of.get(id) ?? []), address) : MISSING);
  };
  const sums = [all, smuggling].map(sum => h('td', { class: 'figure' }, count(sum, null)));
  return h('tr', {}, name, sums, groups.map(cell));
}

/** `3 + 2`: three that are demanded without exception, and two others. */
function count({ must, other }: Failures, address: string | null): Node {
  if (must + other === 0) return h('span', { class: 'none' }, '0');
  const text = [
    must > 0 ? h('b', {}, must) : '0',
    other > 0 ? h('span', { class: 'other' }, ` + ${other.toLocaleString('en')}`) : null,
  ];
  const label = `${must} MUST and ${other} other cases fail`;
  return address === null ? h('span', {}, text) : h('a', { href: address, title: label }, text);
}

function worst(context: Context, choice: Choice, { servers }: Breaks, shown: Found[]): Children {
  const failing = grouped(shown.filter(fails), each => each.case.id);
  const rows = [...failing.values()]
    .map(list => ({ about: (list[0] as Found).case, servers: new Set(list.map(({ result }) => keyOf(result))) }))
    .sort((a, b) => b.servers.size - a.servers.size || a.about.id.localeCompare(b.about.id));
  if (rows.length === 0) return [reading('No case fails by this choice.')];
  const names = new Map(servers.map(server => [keyOf(server), subjectName(server)]));
  type Line = (typeof rows)[number];
  const tableOf = (some: Line[], caption: string) =>
    table<Line>(
      caption,
      [
        { label: 'Case', cell: ({ about }) => caseLink(context, choice, about) },
        { label: 'Level', cell: ({ about }) => about.level.toUpperCase() },
        { label: 'Group', cell: ({ about }) => groupLabel(about.group) },
        { label: 'Servers', figure: true, cell: ({ servers }) => servers.size },
        {
          label: 'Which',
          prose: true,
          cell: ({ servers }) => [...servers].map(key => names.get(key) ?? key).join(', '),
        },
      ],
      some,
    );
  return [
    h('h2', {}, 'Cases that most servers fail'),
    tableOf(rows.slice(0, SHOWN), `The first ${Math.min(SHOWN, rows.length)} of ${plural(rows.length, 'case')}`),
    rows.length > SHOWN
      ? fold('all-cases', `All ${plural(rows.length, 'case')} that fail`, () => [tableOf(rows, 'All cases that fail')])
      : null,
  ];
}

const caseLink = (context: Context, choice: Choice, { id, title, smuggles }: ProbeCase) => [
  link(context.to('breaks', null, { case: id, ...kept(choice) }), title),
  smuggles ? h('span', { class: 'tag' }, 'smuggling') : null,
];

/** The cases that measure something: the page of each has the figures of all servers. */
function measured(context: Context, choice: Choice, { cases }: Breaks, shown: Found[]): HTMLElement {
  const ids = new Set(shown.filter(({ result }) => result.figures.size > 0).map(each => each.case.id));
  const measuring = [...cases.values()].filter(({ id }) => ids.has(id));
  return fold('measured', 'Also measured: memory of idle connections, waits of others, exits', () => [
    list(
      'bullets',
      measuring.map(about => [`${groupLabel(about.group)}: `, caseLink(context, choice, about)]),
    ),
  ]);
}
