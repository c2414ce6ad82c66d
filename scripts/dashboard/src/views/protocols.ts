// TLS and HTTP/2: what they cost each framework, against its own HTTP/1.1.
import type { Context, Shown } from '../app/context';
import { CPU } from '../data/metrics';
import { KNOWN } from '../data/names';
import type { Bounded } from '../data/overview';
import { type Costs, type Protocols, protocols } from '../data/protocols';
import { protocolLabel } from '../data/scenarios';
import { KINDS } from '../data/snapshot';
import type { Scenario } from '../data/types';
import { h } from '../ui/dom';
import { day, difference, figure, listed, MISSING, plural } from '../ui/format';
import { notice } from '../ui/notice';
import { table } from '../ui/table';

export async function show(context: Context): Promise<Shown> {
  const found = await protocols(context.store, context.index, context.lane);
  return {
    title: 'TLS and HTTP/2',
    body: [
      h('p', { class: 'eyebrow' }, 'TLS and HTTP/2'),
      h('h1', {}, 'What do TLS and HTTP/2 cost?'),
      ...(found.length === 0
        ? [notice('No run on this machine has compared protocols yet.')]
        : found.flatMap(work => section(context, work))),
      h(
        'aside',
        { class: 'how' },
        h('h2', {}, 'How this is judged'),
        h(
          'p',
          {},
          'A ratio divides a server’s CPU time for a request over one protocol by its time over HTTP/1.1 without TLS, in the rounds of one run that have both, with its 95 % interval, which covers this session. As many requests are in flight over each. Connections are kept, so no handshake is in it. The load generator’s own cost is not counted.',
        ),
      ),
    ],
  };
}

function section(context: Context, { base, others, run, rows }: Protocols): HTMLElement[] {
  return [
    h('h2', {}, base.title),
    h(
      'div',
      { class: 'sentences' },
      others.map((other, place) => answer(other, place, rows)),
    ),
    h(
      'p',
      { class: 'provenance' },
      h('a', { href: context.to('run', run.id) }, `Run of ${day(run.started_at)}`),
      run.rounds === null ? '' : `, ${plural(run.rounds, 'round')}`,
    ),
    table(
      `${base.title}: CPU time against HTTP/1.1`,
      [
        {
          label: 'Framework',
          cell: ({ subject }) => h('a', { href: context.to('framework', subject.app) }, subject.name),
        },
        {
          label: 'Kind',
          cell: ({ subject }) => KINDS.find(({ tier }) => tier === subject.tier)?.short ?? subject.tier,
        },
        {
          label: protocolLabel(base.protocol),
          figure: true,
          cell: ({ plain }) => figure(CPU, plain?.median ?? null),
        },
        ...others.map((other, place) => ({
          label: protocolLabel(other.protocol),
          figure: true,
          cell: ({ ratios }: Costs) => cost(ratios[place] ?? null),
        })),
      ],
      rows,
    ),
  ];
}

/** `HTTP/1.1 over TLS: +12 % to +31 % CPU time. Actix Web +18 %, Axum +20 % and Rocket +9.1 %.` */
function answer(other: Scenario, place: number, rows: Costs[]): HTMLElement | null {
  const frameworks = rows.filter(({ subject, ratios }) => subject.tier === 'maintained' && ratios[place] != null);
  const sizes = frameworks.map(({ ratios }) => ratios[place]?.middle ?? 1);
  if (sizes.length === 0) return null;
  const ends = [Math.min(...sizes), Math.max(...sizes)].map(difference);
  const known = frameworks.filter(({ subject }) => KNOWN.includes(subject.name));
  const named = known.map(({ subject, ratios }) => `${subject.name} ${difference(ratios[place]?.middle ?? 1)}`);
  return h(
    'p',
    {},
    h('b', {}, protocolLabel(other.protocol)),
    `: ${ends[0] === ends[1] ? ends[0] : ends.join(' to ')} CPU time for a request, by framework`,
    named.length === 0 ? '.' : `; ${listed(named)}.`,
  );
}

function cost(ratio: Bounded | null): HTMLElement | string {
  if (ratio === null) return MISSING;
  const close = ratio.low <= 1 && ratio.high >= 1;
  const text = `${difference(ratio.middle)} (${difference(ratio.low)} to ${difference(ratio.high)})`;
  return h('span', { class: close ? 'faint' : null, title: close ? 'Too close to call' : null }, text);
}
