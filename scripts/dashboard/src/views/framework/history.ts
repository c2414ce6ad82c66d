// How one framework came to be what it is: what changed, and which version was measured from when to when.
import type { Context } from '../../app/context';
import { appNames } from '../../data/names';
import { isProblem, orNull } from '../../data/store';
import type { Period, Subject } from '../../data/types';
import { changeItem, changeList, newestFirst, noHistory, once } from '../../ui/changes';
import { bytes, date } from '../../ui/format';
import { faint, titled } from '../../ui/parts';
import { table } from '../../ui/table';

const SHOWN = 8;

/** The newest changes. */
export async function changesOf(context: Context, app: string, period: Period): Promise<HTMLElement> {
  const changes = await context.store.changes(context.lane);
  if (isProblem(changes)) return titled('What changed', faint(noHistory(changes)));
  const found = once(newestFirst(changes.changes.filter(change => change.app === app))).slice(0, SHOWN);
  const names = { app: appNames(period), scenarios: period.scenarios };
  return titled(
    'What changed',
    changeList(
      found.map(({ change, elsewhere }) => changeItem(change, names, context, elsewhere)),
      'Nothing moved so far.',
    ),
  );
}

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
