// What breaks this framework, in a sentence with the way to the cases.
import type { Context } from '../../app/context';
import { fails, failures, found } from '../../data/breaks';
import { keyOf } from '../../data/names';
import { isProblem } from '../../data/store';
import { h } from '../../ui/dom';
import { day, plural } from '../../ui/format';
import { titled } from '../../ui/parts';
import { changed } from '../breaks/changed';

const EVERYTHING = { level: null, protocol: null, own: false };

export async function breaksOf(context: Context, app: string): Promise<HTMLElement> {
  const breaks = await context.store.breaks();
  const server = isProblem(breaks) ? undefined : breaks.servers.find(each => keyOf(each) === app);
  if (isProblem(breaks) || server === undefined) return h('section', { hidden: true });
  const own = found(breaks, EVERYTHING).filter(({ result }) => keyOf(result) === app);
  const { must, other } = failures(own);
  const ofEngine = own.filter(each => fails(each) && each.result.of_engine).length;
  const engine =
    ofEngine === 0
      ? ''
      : `; ${ofEngine} of these ${ofEngine === 1 ? 'is' : 'are'} the fault of ${server.engine?.app ?? 'its engine'}`;
  const text =
    server.not_probed == null
      ? `It fails ${plural(must, 'case')} that a standard or the contract demands without exception, and ${plural(other, 'other')}${engine}. `
      : `It could not be probed: ${server.not_probed}. `;
  return titled(
    'What breaks',
    h(
      'p',
      {},
      text,
      h('a', { href: context.to('breaks', app) }, 'The cases, with the bytes of both sides'),
      ` (version ${server.version ?? 'unknown'}, ${day(breaks.started_at)}).`,
    ),
    await changed(context, breaks, app),
  );
}
