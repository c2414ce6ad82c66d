// What another protocol costs: each server's CPU time over it ÷ its own over the plain one, in the rounds that both shared.
import { cellAt, type Value } from './figures';
import { CPU } from './metrics';
import type { Bounded } from './overview';
import { newestRun, runOf } from './runs';
import { families } from './scenarios';
import type { Store } from './store';
import type { Index, Lane, Run, Scenario, Series, Subject } from './types';

export interface Costs {
  subject: Subject;
  /** What a request takes in the plain protocol. */
  plain: Value | null;
  /** One for each other protocol; `null` where the two were not measured together, or not both count. */
  ratios: (Bounded | null)[];
}

/** A kind of work over several protocols. */
export interface Protocols {
  base: Scenario;
  others: Scenario[];
  run: Run;
  /** Of frameworks and engines as they come, the cheapest change first. */
  rows: Costs[];
}

/** The profile that compares protocols; the principal one has some of them. */
const PROFILE = 'protocols';

export async function protocols(store: Store, index: Index, lane: Lane): Promise<Protocols[]> {
  const newest = await newestRun(store, index.lanes.get(`${lane.place}:${PROFILE}`) ?? index.lanes.get(lane.place));
  if (newest === null) return [];
  const { period, series } = newest;
  return families(period.scenarios).flatMap(({ base, dimensions }): Protocols[] => {
    const others = dimensions.get('protocol')?.filter(scenario => scenario !== base) ?? [];
    const plain = series.get(base.id);
    if (plain === undefined || others.length === 0) return [];
    const run = runOf(newest, plain);
    const rows = [...period.subjects.values()].flatMap((subject): Costs[] => {
      if (subject.role !== 'framework' || subject.variant !== 'default') return [];
      const ratios = others.map(({ id }) => ratioOf(series.get(id), subject));
      if (ratios.every(ratio => ratio === null)) return [];
      return [{ subject, plain: cellAt(plain, CPU.id, subject.key, run.id)?.value ?? null, ratios }];
    });
    const order = ({ ratios }: Costs) => ratios.find(ratio => ratio !== null)?.middle ?? Infinity;
    return rows.length === 0 ? [] : [{ base, others, run, rows: rows.sort((a, b) => order(a) - order(b)) }];
  });
}

function ratioOf(series: Series | undefined, { key }: Subject): Bounded | null {
  const columns = series?.metrics.get(CPU.id);
  const row = series?.subjects.indexOf(key) ?? -1;
  const at = (of: 'to_plain' | 'to_plain_low' | 'to_plain_high') => columns?.[of][row]?.[0] ?? null;
  const middle = at('to_plain');
  return middle === null ? null : { middle, low: at('to_plain_low') ?? middle, high: at('to_plain_high') ?? middle };
}
