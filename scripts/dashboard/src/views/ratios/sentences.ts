// What one form is worth against the other, in words: for a line, and for many together.
import type { Metric } from '../../data/metrics';
import { KNOWN } from '../../data/names';
import type { RatioLine } from '../../data/ratios';
import { verdictLabel } from '../../data/verdicts';
import { difference, listed, number, plural, timesText } from '../../ui/format';
import { TOO_CLOSE } from '../../ui/parts';

/** What a request costs is cheaper or costlier, all else better or worse. */
export const wordsOf = ({ id }: Metric): Record<'good' | 'bad', string> =>
  id.endsWith('_per_request') ? { good: 'cheaper', bad: 'costlier' } : { good: 'better', bad: 'worse' };

/** The ratio with its interval, if it has one, and what its run says of it. */
export function textOf({ judgement, b, verdict }: RatioLine, metric: Metric): string {
  const { ratio, told, why } = judgement;
  if (ratio === null) return b?.trusted ? (why ?? '') : verdictLabel(verdict);
  const said = told === null ? why : told === 'alike' ? TOO_CLOSE : `${wordsOf(metric)[told]} in this session`;
  return timesText(ratio) + (said === null ? '' : `, ${said}`);
}

function range(lines: RatioLine[]): string {
  const middles = lines.flatMap(({ judgement }) => judgement.ratio?.middle ?? []);
  const [low, high] = [Math.min, Math.max].map(end => number(end(...middles)));
  return low === high ? `${low}×` : `${low} to ${high}×`;
}

/** `mimalloc is cheaper in 12 (0.82 to 0.97×) and costlier in 1 (1.02×) of 16 comparisons.` */
export function counts([name, lines]: [string, RatioLine[]], metric: Metric): string {
  const known = lines.filter(({ judgement }) => judgement.ratio !== null);
  const judged = known.filter(({ judgement }) => judgement.told !== null);
  if (known.length === 0) return `${name} is not compared.`;
  if (judged.length === 0) return `${name}: ${range(known)} in ${plural(known.length, 'comparison')}.`;
  const parts = (['good', 'bad'] as const).flatMap(told => {
    const some = judged.filter(({ judgement }) => judgement.told === told);
    return some.length === 0 ? [] : [`${wordsOf(metric)[told]} in ${some.length} (${range(some)})`];
  });
  const all = plural(judged.length, 'comparison');
  return parts.length === 0 ? `${name} is ${TOO_CLOSE} in ${all}.` : `${name} is ${parts.join(' and ')} of ${all}.`;
}

/** `HTTP/2: −51 % (Poem) to −18 % (Rocket) CPU per request, of 6 frameworks; Actix Web −30 % and Axum −25 %.` */
export function sizes([name, lines]: [string, RatioLine[]], metric: Metric): string {
  const sized = lines
    .filter(({ subject }) => subject.role === 'framework' && subject.tier === 'maintained')
    .flatMap(({ server, judgement: { ratio } }) => (ratio === null ? [] : [{ server, size: ratio.middle }]))
    .sort((a, b) => a.size - b.size);
  const [least, most] = [sized[0], sized.at(-1)];
  if (least === undefined || most === undefined) return `${name}: no framework has a ratio.`;
  const [low, high] = [least, most].map(({ size, server }) => `${difference(size)} (${server})`);
  const known = sized.filter(({ server }) => KNOWN.includes(server));
  const named = known.map(({ server, size }) => `${server} ${difference(size)}`);
  const of = `${low === high ? low : `${low} to ${high}`} ${metric.label}, of ${plural(sized.length, 'framework')}`;
  return `${name}: ${of}${named.length === 0 ? '' : `; ${listed(named)}`}.`;
}
