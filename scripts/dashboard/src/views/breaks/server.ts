// The cases that one server does not pass, by group.
import type { Context } from '../../app/context';
import { type Choice, type Found, fails, failures, grouped, groupLabel } from '../../data/breaks';
import { keyOf } from '../../data/names';
import { protocolLabel } from '../../data/scenarios';
import type { ProbedServer } from '../../data/types';
import { fold } from '../../ui/controls';
import { type Children, h, link } from '../../ui/dom';
import { plural } from '../../ui/format';
import { list, notice, reading, titled } from '../../ui/parts';
import { kept } from '../breaks';

export function serverOf(context: Context, choice: Choice, server: ProbedServer, shown: Found[]): Children {
  if (server.not_probed != null) return [notice(`Not probed: ${server.not_probed}`)];
  const group = context.parameter('group');
  const own = shown.filter(({ result }) => keyOf(result) === keyOf(server));
  const inGroup = group === null ? own : own.filter(each => each.case.group === group);
  const failing = grouped(inGroup.filter(fails), each => each.case.group);
  const flickering = inGroup.filter(({ result }) => result.outcome === 'flickered');
  const unfit = inGroup.filter(({ result }) => result.outcome === 'not_applicable');
  return [
    summary(context, choice, server, own, group),
    [...failing].map(([id, list]) =>
      titled(`${groupLabel(id)}: ${plural(list.length, 'case')}`, cases(context, server, list)),
    ),
    failing.size > 0 ? null : reading('No case fails by this choice.'),
    flickering.length === 0 ? null : titled('Now and then, which is no fault', cases(context, server, flickering)),
    unfit.length === 0
      ? null
      : fold('not-applicable', `${plural(unfit.length, 'case')} could not be put to it`, () => [
          cases(context, server, unfit),
        ]),
  ];
}

function summary(
  context: Context,
  choice: Choice,
  server: ProbedServer,
  own: Found[],
  group: string | null,
): HTMLElement {
  const { must, other } = failures(own);
  const ofEngine = own.filter(each => fails(each) && each.result.of_engine).length;
  const engine = server.engine ? `${server.engine.app} ${server.engine.version}`.trim() : 'its engine';
  return reading(
    `Version ${server.version ?? 'unknown'}. It fails ${plural(must, 'case')} that its source demands without exception, and ${plural(other, 'other')}.`,
    ofEngine === 0
      ? ''
      : ` ${ofEngine} of these ${ofEngine === 1 ? 'is' : 'are'} the fault of ${engine}, which fails them by itself.`,
    ' ',
    group === null ? null : link(context.to('breaks', keyOf(server), kept(choice)), 'All groups'),
    group === null ? null : ' · ',
    link(context.to('framework', server.app), 'Its speed and history'),
  );
}

function cases(context: Context, server: ProbedServer, found: Found[]): HTMLElement {
  return list(
    'cases',
    found.map(({ case: about, result }) => [
      h(
        'p',
        {},
        link(context.to('breaks', keyOf(server), { case: about.id }), about.title),
        h('span', { class: `tag ${about.level}` }, about.level.toUpperCase()),
        about.smuggles ? h('span', { class: 'tag' }, 'smuggling') : null,
        result.of_engine ? h('span', { class: 'tag' }, 'fault of its engine') : null,
      ),
      h('p', { class: 'why' }, `${protocolLabel(result.protocol)}: ${result.got ?? ''}`),
    ]),
  );
}
