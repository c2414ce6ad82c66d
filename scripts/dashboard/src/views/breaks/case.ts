// One case: what is demanded and where, the bytes of both sides, and what every server does.
import type { Context } from '../../app/context';
import { figureLabel, grouped, groupLabel, sourceAddress } from '../../data/breaks';
import { keyOf, subjectName } from '../../data/names';
import { protocolLabel } from '../../data/scenarios';
import type { Breaks, ProbeCase, ProbedServer, ServerResult } from '../../data/types';
import { type Children, h, link } from '../../ui/dom';
import { number } from '../../ui/format';
import { facts, list, reading, titled } from '../../ui/parts';
import { table } from '../../ui/table';

const OUTCOMES: Record<ServerResult['outcome'], string> = {
  passed: 'passes',
  failed: 'fails',
  flickered: 'now and then',
  not_applicable: 'not applicable',
};

interface Line {
  server: ProbedServer;
  /** `null` where it passed, or was not probed. */
  result: ServerResult | null;
}

export function caseOf(context: Context, breaks: Breaks, about: ProbeCase, chosen: ProbedServer | null): Children {
  const results = grouped(
    breaks.results.filter(result => result.case === about.id),
    keyOf,
  );
  const lines: Line[] = breaks.servers.flatMap(server => {
    const own = results.get(keyOf(server)) ?? [null];
    return own.map(result => ({ server, result }));
  });
  const kinds = [...new Set([...results.values()].flat().flatMap(({ figures }) => [...figures.keys()]))].sort(
    (a, b) => Number(b === BYTES) - Number(a === BYTES),
  );
  const ofChosen = chosen === null ? [] : (results.get(keyOf(chosen)) ?? []);
  const command = `./scripts/bench probe --app ${chosen?.app ?? 'APP'} --case ${about.id}`;
  return [
    h('h1', {}, about.title),
    factsOf(about),
    chosen && titled(subjectName(chosen), said(chosen, ofChosen)),
    about.sent && titled('What is sent', bytes(about.sent)),
    ofChosen.map(({ received }) => received && titled('What came', bytes(received))),
    about.group === 'idle-connections' && webSockets(context),
    h('h2', {}, 'All servers'),
    about.sent &&
      reading(
        'What a server did: the statuses of its answers in their order, and whether it closed the connection afterwards or left it open. It is silent if it left it open without an answer.',
      ),
    table<Line>(
      about.title,
      [
        { label: 'Server', cell: ({ server }) => serverLink(context, server, about) },
        ...kinds.map(kind => ({
          label: figureLabel(kind),
          figure: true,
          cell: ({ result }: Line) => number(result?.figures.get(kind) ?? null),
        })),
        { label: 'Version', cell: ({ server }) => server.version ?? '' },
        { label: 'Outcome', cell: outcome },
        { label: 'What it did', prose: true, cell: ({ result }) => result?.got ?? '' },
      ],
      lines.sort(
        (a, b) =>
          weight(a) - weight(b) || taken(a) - taken(b) || subjectName(a.server).localeCompare(subjectName(b.server)),
      ),
      ({ server }) => (server === chosen ? 'chosen' : null),
    ),
    h('h2', {}, 'To see it yourself'),
    bytes(command),
  ];
}

/** An idle WebSocket is such a connection, and nobody has measured what its library keeps besides. */
function webSockets({ index, lane, to }: Context): Children {
  const services = `${lane.place}:services`;
  const memory = { lane: services, scenario: 'websocket-c1000', metric: 'rss_peak_bytes' };
  return (
    index.lanes.has(services) &&
    reading(
      'Idle WebSockets were not measured by themselves. Of 1,000 that send messages there is ',
      link(to('now', null, memory), 'the peak memory'),
      '.',
    )
  );
}

const serverLink = (context: Context, server: ProbedServer, about: ProbeCase) =>
  link(context.to('breaks', keyOf(server), { case: about.id }), subjectName(server));

function outcome({ server, result }: Line): string {
  if (result === null) return server.not_probed == null ? OUTCOMES.passed : 'not probed';
  return OUTCOMES[result.outcome] + (result.of_engine ? ', by its engine' : '');
}

/** Memory: who takes least comes first. */
const BYTES = 'bytes_per_connection';

const taken = ({ result }: Line): number => result?.figures.get(BYTES) ?? 0;

/** Failures first. */
function weight({ server, result }: Line): number {
  if (result === null) return server.not_probed == null ? 2 : 3;
  return { failed: 0, flickered: 1, passed: 2, not_applicable: 3 }[result.outcome];
}

function factsOf(about: ProbeCase): HTMLElement {
  const { level, source, demand, group, smuggles } = about;
  const address = sourceAddress(source);
  return facts(
    [
      ['Demand', demand],
      ['Level', level === 'may' ? 'MAY: only a crash, a hang or a 5xx is a fault' : level.toUpperCase()],
      ['Source', address === null ? source : h('a', { href: address, rel: 'noreferrer' }, source)],
      ['Group', groupLabel(group)],
      ['Smuggling', smuggles && 'a server that fails can disagree with a proxy on where a request ends'],
    ],
    'of-case',
  );
}

function said(server: ProbedServer, results: ServerResult[]): Node {
  if (results.length === 0) return h('p', {}, outcome({ server, result: null }));
  return list(
    'cases',
    results.map(result => [
      h(
        'p',
        {},
        h('b', {}, outcome({ server, result })),
        ` over ${protocolLabel(result.protocol)}: ${result.got ?? ''}`,
      ),
      result.figures.size > 0 &&
        h(
          'p',
          { class: 'why' },
          [...result.figures].map(([id, figure]) => `${figureLabel(id)}: ${number(figure)}`).join(' · '),
        ),
    ]),
  );
}

/** As the harness escaped them: `\\r\\n` is two bytes, and each begins a new line here. */
const bytes = (text: string) =>
  h('pre', { class: 'bytes', tabindex: '0' }, text.replaceAll('\\r\\n', '\\r\\n\n').trimEnd());
