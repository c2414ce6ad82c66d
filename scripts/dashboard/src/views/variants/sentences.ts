// What a variant is worth, in words: for a line, and for all kinds of work of an app together.
import type { Proof } from '../../data/judge';
import type { Metric } from '../../data/metrics';
import type { VariantPair } from '../../data/variants';
import { verdictLabel } from '../../data/verdicts';
import { listed, number, plural, ratioTexts } from '../../ui/format';

/** What better and worse are called. */
export interface Tone {
  better: string;
  worse: string;
}

const COSTS: ReadonlySet<string> = new Set<Metric['id']>([
  'server_cpu_us_per_request',
  'instructions_per_request',
  'database_cpu_us_per_request',
]);

export const toneOf = ({ id }: Metric): Tone =>
  COSTS.has(id) ? { better: 'cheaper', worse: 'costlier' } : { better: 'better', worse: 'worse' };

const TOO_CLOSE = 'too close to call';

export function inWords(judgement: Proof, { better, worse }: Tone): string {
  if (judgement.kind === 'unjudged') return judgement.why;
  if (judgement.kind === 'alike') return TOO_CLOSE;
  return `${judgement.better ? better : worse} in this session, by ${judgement.by}`;
}

/** The ratio with its interval and what it says. */
export function lineWords({ judgement, b, verdict }: VariantPair, tone: Tone): { ratio: string; rest: string } {
  if (judgement.kind === 'unjudged') return { ratio: '', rest: b === null ? verdictLabel(verdict) : judgement.why };
  const { ratio, between } = ratioTexts({
    ratio: judgement.ratio,
    ratio_low: judgement.low,
    ratio_high: judgement.high,
  });
  return { ratio, rest: ` (${between}), ${inWords(judgement, tone)}` };
}

/** More kinds of work than these are counted. */
const NAMED = 4;

const where = (pairs: VariantPair[]): string =>
  pairs.length > NAMED ? `${plural(pairs.length, 'kind')} of work` : listed(pairs.map(({ scenario }) => scenario.id));

function sizes(pairs: VariantPair[]): string {
  const ratios = pairs.flatMap(({ judgement }) => (judgement.kind === 'unjudged' ? [] : [judgement.ratio]));
  const [low, high] = [number(Math.min(...ratios)), number(Math.max(...ratios))];
  return low === high ? `${low}×` : `${low} to ${high}×`;
}

/** Over all apps and kinds of work: `mimalloc is cheaper in 12 (0.82 to 0.97×) and costlier in 1 (1.02×) of 16 comparisons.` */
export function answer(name: string, pairs: VariantPair[], { better, worse }: Tone): string {
  const judged = pairs.filter(({ judgement }) => judgement.kind !== 'unjudged');
  if (judged.length === 0) return `${name} is not judged.`;
  const of = (isBetter: boolean) =>
    judged.filter(({ judgement }) => judgement.kind === 'apart' && judgement.better === isBetter);
  const parts = [
    { word: better, some: of(true) },
    { word: worse, some: of(false) },
  ].flatMap(({ word, some }) => (some.length === 0 ? [] : [`${word} in ${some.length} (${sizes(some)})`]));
  const all = plural(judged.length, 'comparison');
  return parts.length === 0 ? `${name} is ${TOO_CLOSE} in ${all}.` : `${name} is ${parts.join(' and ')} of ${all}.`;
}

/** Of one app in one variant: `was cheaper in json-64k and validate, at 0.8 to 0.9×; it is too close to call in routes-1.` */
export function sentence(pairs: VariantPair[], { better, worse }: Tone): string {
  const of = (wanted: (judgement: Proof) => boolean) => pairs.filter(({ judgement }) => wanted(judgement));
  const found = (word: string, some: VariantPair[]) =>
    some.length === 0 ? [] : [`was ${word} in ${where(some)}, at ${sizes(some)}`];
  const alike = of(judgement => judgement.kind === 'alike');
  const unjudged = of(judgement => judgement.kind === 'unjudged');
  const parts = [
    ...found(
      better,
      of(judgement => judgement.kind === 'apart' && judgement.better),
    ),
    ...found(
      worse,
      of(judgement => judgement.kind === 'apart' && !judgement.better),
    ),
    ...(alike.length === 0 ? [] : [`is ${TOO_CLOSE} in ${where(alike)}`]),
    ...(unjudged.length === 0 ? [] : [`is not judged in ${where(unjudged)}`]),
  ];
  return `${parts.join('; it ')}.`;
}
