// The versions of a framework over time: which was measured from when to when.
import type { Context } from '../../app/context';
import { orNull } from '../../data/store';
import type { Subject } from '../../data/types';
import { bytes, date } from '../../ui/format';
import { faint, titled } from '../../ui/parts';
import { table } from '../../ui/table';

interface Stretch {
  version: string;
  from: number;
  to: number;
  binary: number | null;
}

export async function versionsOf(context: Context, subject: Subject): Promise<HTMLElement> {
  const period = orNull(await context.store.period(context.lane));
  const [versions, sizes] = [period?.versions.get(subject.key), period?.binary_bytes.get(subject.key)];
  const stretches: Stretch[] = [];
  period?.runs.forEach((run, at) => {
    const version = versions?.[at] ?? null;
    if (version === null) return;
    const last = stretches.at(-1);
    const binary = sizes?.[at] ?? null;
    if (last?.version === version) Object.assign(last, { to: run.started_at, binary: binary ?? last.binary });
    else stretches.push({ version, from: run.started_at, to: run.started_at, binary });
  });
  return titled(
    'Versions',
    stretches.length === 0
      ? faint('No version is known.')
      : table(
          'Versions over time',
          [
            { label: 'Version', cell: ({ version }) => version },
            { label: 'First measured', cell: ({ from }) => date(from) },
            { label: 'Last measured', cell: ({ to }) => date(to) },
            { label: 'Program', figure: true, cell: ({ binary }) => bytes(binary) },
          ],
          stretches.reverse(),
        ),
  );
}
