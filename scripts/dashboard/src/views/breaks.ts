// What breaks: frameworks by groups of cases, the cases of one framework, and one case on all of them. The address says which.
import type { Context, Shown } from '../app/context';
import { type Choice, found } from '../data/breaks';
import { keyOf, subjectName } from '../data/names';
import { FIRST } from '../data/pair';
import { protocolLabel } from '../data/scenarios';
import { isProblem } from '../data/store';
import type { Breaks } from '../data/types';
import { checks, segmented } from '../ui/controls';
import { h, link } from '../ui/dom';
import { day, plural } from '../ui/format';
import { emptyView, eyebrow, filter, notice, reading } from '../ui/parts';
import { caseOf } from './breaks/case';
import { changed } from './breaks/changed';
import { matrix } from './breaks/matrix';
import { memoryOf } from './breaks/memory';
import { moving } from './breaks/moving';
import { serverOf } from './breaks/server';

const TITLE = 'What breaks';

export async function show(context: Context): Promise<Shown> {
  const [clients, breaks] = await Promise.all([context.store.clients(), context.store.breaks()]);
  if (context.parameter('from') !== null && !isProblem(clients)) return moving(context, clients);
  if (isProblem(breaks)) {
    const why = breaks.missing
      ? 'No probes were published yet. `./scripts/bench probe --out bench-results` makes them.'
      : breaks.problem;
    return emptyView(TITLE, why);
  }
  const choice: Choice = {
    level: context.parameter('level') === 'must' ? 'must' : null,
    protocol: context.parameter('protocol'),
    own: context.parameter('own') === 'yes',
  };
  const { subject } = context.route;
  const server = breaks.servers.find(each => keyOf(each) === subject);
  const about = breaks.cases.get(context.parameter('case') ?? '');
  if (about !== undefined) {
    return { title: about.title, body: [back(context, choice), caseOf(context, breaks, about, server ?? null)] };
  }
  const shown = found(breaks, choice);
  if (server !== undefined) {
    const body = serverOf(context, choice, server, shown);
    return {
      title: `${subjectName(server)}: what breaks`,
      body: [
        back(context, choice),
        h('h1', {}, subjectName(server)),
        provenance(breaks),
        controls(context, breaks, choice),
        body,
      ],
    };
  }
  return {
    title: TITLE,
    body: [
      eyebrow('Conformance, abuse, lifecycle'),
      h('h1', {}, TITLE),
      subject === null ? null : notice(`${subject} is not among what was probed.`),
      provenance(breaks),
      isProblem(clients)
        ? null
        : reading(
            link(context.to('breaks', null, { from: FIRST[0], to: FIRST[1] }), 'Moving from one to another'),
            ': what your clients will notice, though it breaks no rule.',
          ),
      controls(context, breaks, choice),
      matrix(context, breaks, choice, shown),
      memoryOf(context, breaks),
      await changed(context, breaks),
    ],
  };
}

/** The parameters that a choice is kept by. */
export const kept = ({ level, protocol, own }: Choice) => ({ level, protocol, own: own ? 'yes' : null });

const back = (context: Context, choice: Choice) => eyebrow(link(context.to('breaks', null, kept(choice)), TITLE));

function provenance({ cases, servers, started_at, cpu_model, logical_cpus }: Breaks): HTMLElement {
  return reading(
    `${plural(cases.size, 'case')} on ${plural(servers.length, 'server')}, probed on ${day(started_at)} (${cpu_model}, ${plural(logical_cpus, 'logical cpu')}). `,
    'A failure happened on three fresh servers. What happened only now and then is no fault, and no probe decides a rank.',
  );
}

function controls(context: Context, breaks: Breaks, choice: Choice): HTMLElement {
  const { go } = context;
  const protocols = [...new Set(breaks.results.map(({ protocol }) => protocol))].sort();
  return h(
    'div',
    { class: 'controls' },
    segmented(
      'level',
      'Demanded',
      [
        { value: 'all', label: 'all cases' },
        { value: 'must', label: 'MUST only', title: 'What its source demands without exception' },
      ],
      choice.level ?? 'all',
      value => go({ level: value === 'all' ? null : value }),
    ),
    filter(
      context,
      'protocol',
      'Protocol',
      protocols.map(id => ({ value: id, label: protocolLabel(id) })),
    ),
    checks(
      'fault',
      'Fault',
      [{ value: 'own', label: 'hide faults of the HTTP engine (hyper …)' }],
      new Set(choice.own ? ['own'] : []),
      next => go({ own: next.has('own') ? 'yes' : null }),
    ),
  );
}
