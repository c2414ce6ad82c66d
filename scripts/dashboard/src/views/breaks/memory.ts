// Who gives memory back: a saw-tooth for each server, and the figures.
import type { Context } from '../../app/context';
import { sawTooth } from '../../charts/saw-tooth';
import { subjectName } from '../../data/names';
import type { Breaks, KeptMemory } from '../../data/types';
import { fold } from '../../ui/controls';
import { h, link } from '../../ui/dom';
import { bytes, MISSING } from '../../ui/format';
import { AS_TABLE, reading, titled } from '../../ui/parts';
import { type Column, table } from '../../ui/table';

const QUESTION = 'Does it give memory back?';

/** `null` where no probe has seen it. */
export function memoryOf(context: Context, { memory, cases }: Breaks): HTMLElement | null {
  const [first] = memory;
  const [open, gone] = first?.waves.at(-1) ?? [];
  if (first === undefined || open === undefined || gone === undefined) return null;
  const about = cases.get(first.case);
  const seconds = Math.max(...memory.flatMap(({ looks }) => looks.map(look => look.seconds)));
  const wait = Math.round(gone.seconds - open.seconds);
  return titled(
    QUESTION,
    reading(
      link(context.to('breaks', null, { case: first.case }), about?.title ?? first.case),
      `. Each line is a server’s resident memory, from 0 to its own most: it rises with the connections, and falls if what they took is given back. They are gone for ${wait} s each time. Dashed: before they came. Who gives back most comes first.`,
    ),
    h(
      'div',
      { class: 'teeth' },
      memory.map(server => panel(server, seconds)),
    ),
    fold('memory-table', AS_TABLE, () => [tableOf(memory)]),
  );
}

function panel(server: KeptMemory, seconds: number): HTMLElement {
  const { looks, given_back: given } = server;
  const most = Math.max(...looks.map(look => look.bytes));
  const [before, end] = [looks[0], looks.at(-1)].map(look => bytes(look?.bytes ?? null));
  const said = `${before}, at most ${bytes(most)}, in the end ${end}`;
  return h(
    'div',
    { class: 'tooth' },
    h('b', {}, subjectName(server)),
    h('span', { class: 'share' }, `gives ${share(given)} back`),
    sawTooth(server, seconds, `${subjectName(server)}: ${said}`),
    h('span', { class: 'said' }, said),
  );
}

const share = (given: number): string => `${Math.round(given * 100)}\u00a0%`;

function tableOf(memory: KeptMemory[]): HTMLElement {
  const waves = Math.max(...memory.map(server => server.waves.length));
  const ofWave = (at: number): Column<KeptMemory>[] => [
    { label: `With, ${at + 1}`, figure: true, cell: ({ waves }) => bytes(waves[at]?.[0]?.bytes ?? null) },
    { label: `After, ${at + 1}`, figure: true, cell: ({ waves }) => bytes(waves[at]?.[1]?.bytes ?? null) },
  ];
  return table<KeptMemory>(
    QUESTION,
    [
      { label: 'Server', cell: subjectName },
      {
        label: 'Connections',
        figure: true,
        cell: ({ waves }) => waves.at(-1)?.[0]?.connections.toLocaleString('en') ?? MISSING,
      },
      { label: 'Before', figure: true, cell: ({ looks }) => bytes(looks[0]?.bytes ?? null) },
      ...Array.from({ length: waves }, (_, at) => ofWave(at)).flat(),
      { label: 'Given back', figure: true, cell: ({ given_back: given }) => share(given) },
    ],
    memory,
  );
}
