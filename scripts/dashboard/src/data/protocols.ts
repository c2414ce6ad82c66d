// What another protocol costs: each server's CPU time over it ÷ its own over the plain one, in the rounds that both shared.
import { cellAt, foundAt } from './figures';
import { type Judgement, unjudged } from './judge';
import { CPU } from './metrics';
import type { RatioLine } from './ratios';
import { newestRun, runOf } from './runs';
import { families, fullTitle, protocolLabel } from './scenarios';
import type { Store } from './store';
import type { Index, Lane, Scenario, Series, Subject } from './types';

/** The profile that compares protocols; the principal one has some of them. */
const PROFILE = 'protocols';

/** Of frameworks and engines as they come, the cheapest change first. */
export async function protocolLines(store: Store, index: Index, lane: Lane): Promise<RatioLine[]> {
  const of = index.lanes.get(`${lane.place}:${PROFILE}`) ?? index.lanes.get(lane.place);
  const newest = await newestRun(store, of);
  if (of === undefined || newest === null) return [];
  const { scenarios, subjects } = newest.period;
  const lineOf = (base: Scenario, other: Scenario, subject: Subject): RatioLine | null => {
    const [plain, series] = [newest.series.get(base.id), newest.series.get(other.id)];
    if (series === undefined || subject.role !== 'framework' || subject.variant !== 'default') return null;
    const run = runOf(newest, series);
    const { streams = 1 } = other;
    const judgement = judgementOf(series, subject);
    if (judgement === null) return null;
    return {
      question: 'protocol',
      name: protocolLabel(other.protocol) + (streams > 1 ? `, ${streams} requests on a connection` : ''),
      against: protocolLabel(base.protocol),
      server: subject.name,
      subject,
      work: base.id,
      title: fullTitle(base, scenarios),
      scenario: other.id,
      lane: of.name,
      run,
      a: foundAt(plain, CPU.id, subject.key, run),
      b: foundAt(series, CPU.id, subject.key, run),
      verdict: cellAt(series, CPU.id, subject.key, run.id)?.verdict ?? null,
      judgement,
    };
  };
  return families(scenarios).flatMap(({ base, dimensions }) =>
    (dimensions.get('protocol') ?? [])
      .filter(scenario => scenario !== base)
      .flatMap(other =>
        [...subjects.values()]
          .flatMap(subject => lineOf(base, other, subject) ?? [])
          .sort((a, b) => (a.judgement.ratio?.middle ?? Infinity) - (b.judgement.ratio?.middle ?? Infinity)),
      ),
  );
}

/** `null` where the two were not measured together, or not both count. */
function judgementOf(series: Series, { key }: Subject): Judgement | null {
  const columns = series.metrics.get(CPU.id);
  const row = series.subjects.indexOf(key);
  const at = (of: 'to_plain' | 'to_plain_low' | 'to_plain_high') => columns?.[of][row]?.[0] ?? null;
  const [middle, low, high] = [at('to_plain'), at('to_plain_low'), at('to_plain_high')];
  if (middle === null) return null;
  return unjudged(low === null ? 'too few shared rounds for an interval' : null, { middle, low, high });
}
