// What clients notice when a server moves from one framework to another: what differs, what hurts most first.
import type { Context, Shown } from '../../app/context';
import type { ClientServer, Clients, Setting } from '../../data/types';
import { h, link } from '../../ui/dom';
import { day, plural } from '../../ui/format';
import { pairChoice } from '../../ui/pair';
import { eyebrow, reading, titled } from '../../ui/parts';
import { type Column, table } from '../../ui/table';

type Case = Clients['cases'][number];

interface Row {
  about: Case;
  kind: number;
  got: string[];
  /** Of the second. */
  setting: Setting | undefined;
}

export function moving(context: Context, clients: Clients): Shown {
  const options = clients.servers.map(({ app, name }) => ({ value: app, label: name }));
  const { left, right, controls } = pairChoice(context, options, ['from', 'From'], ['to', 'to']);
  const serverOf = (key: string) =>
    (clients.servers.find(({ app }) => app === key) ?? clients.servers[0]) as ClientServer;
  const [from, to] = [serverOf(left), serverOf(right)];
  const rows = clients.cases.flatMap(about => rowOf(about, from, to) ?? []);
  const made = clients.cases.filter(({ id }) => from.got.has(id) && to.got.has(id)).length;
  const title = `From ${from.name} to ${to.name}`;
  const kinds = [
    `Works with ${from.name} only`,
    'Another status',
    `Works with ${to.name} only`,
    'Limits, times and the end',
    'Fields, bodies and connections',
  ];
  return {
    title,
    body: [
      eyebrow(link(context.to('breaks', null), 'What breaks')),
      h('h1', {}, title),
      reading(
        `What clients notice: ${rows.length} of ${plural(made, 'case')} differ between ${from.name} ${from.version} and ${to.name} ${to.version}, each served as its guide writes it, on ${day(clients.started_at)}. `,
        'Nothing here is a fault. Where three fresh servers did not agree, both answers are told.',
      ),
      controls,
      h(
        'div',
        { class: 'moving' },
        kinds.map((kind, place) => {
          const own = rows.filter(row => row.kind === place);
          return own.length === 0 ? null : titled(kind, tableOf(kind, own, [from, to]));
        }),
      ),
      reading('The bytes: ', h('code', {}, `./scripts/bench probe --app ${from.app} --case CASE`)),
    ],
  };
}

const tableOf = (kind: string, rows: Row[], servers: ClientServer[]) =>
  table<Row>(
    kind,
    [
      { label: 'Case', prose: true, cell: ({ about }) => h('span', { title: about.id }, about.title) },
      ...servers.map(({ name }, side) => ({ label: name, prose: true, cell: ({ got }: Row) => got[side] ?? '' })),
      ...(rows.some(({ setting }) => setting) ? [settingOf(servers)] : []),
    ],
    rows,
  );

const settingOf = ([, to]: ClientServer[]): Column<Row> => ({
  label: `Set in ${to?.name}`,
  prose: true,
  cell: ({ setting }) => setting && link(setting.address, setting.name),
});

/** By the rule that the harness has (`analyze::probes::Notice`). */
function rowOf(about: Case, from: ClientServer, to: ClientServer): Row | null {
  const got = [from, to].map(server => server.got.get(about.id));
  const [one, other] = got;
  if (one === undefined || other === undefined || one === other) return null;
  const [before, after] = [from, to].map(server => server.statuses.get(about.id) ?? null);
  const succeeds = (status: number | null | undefined) => status != null && status < 400;
  const isRequest = about.sent !== '' && !got.some(told => told?.endsWith(' s'));
  const kind = !isRequest
    ? 3
    : succeeds(before) && !succeeds(after)
      ? 0
      : !succeeds(before) && succeeds(after)
        ? 2
        : before !== after
          ? 1
          : 4;
  return { about, kind, got: [one, other], setting: to.settings.get(about.id) };
}
