// What one form is worth against the other, in words: for a line, and for many together.
import type { Judgement } from '../../data/judge';
import type { Metric } from '../../data/metrics';
import { KNOWN } from '../../data/names';
import type { RatioLine } from '../../data/ratios';
import { verdictLabel } from '../../data/verdicts';
import { difference, listed, number, plural, ratioTexts } from '../../ui/format';

/** What better and worse are called. */
export interface Tone {
  better: string;
  worse: string;
}

export const toneOf = ({ id }: Metric): Tone =>
  id.endsWith('_per_request') ? { better: 'cheaper', worse: 'costlier' } : { better: 'better', worse: 'worse' };

const TOO_CLOSE = 'too close to call';

function inWords(judgement: Judgement, { better, worse }: Tone): string {
  if (judgement.kind === 'unjudged') return judgement.why;
  if (judgement.kind === 'alike') return TOO_CLOSE;
  const by = judgement.by === undefined ? '' : `, by ${judgement.by}`;
  return `${judgement.better ? better : worse} in this session${by}`;
}

/** The ratio with its interval, if it has one, and what it says. */
export function lineWords({ judgement, b, verdict }: RatioLine, tone: Tone): { ratio: string; rest: string } {
  const unjudged = judgement.kind === 'unjudged';
  if (unjudged && judgement.middle === undefined)
    return { ratio: '', rest: b?.trusted ? judgement.why : verdictLabel(verdict) };
  const [low, high] = unjudged ? [null, null] : [judgement.low, judgement.high];
  const { ratio, between } = ratioTexts({ ratio: judgement.middle ?? null, ratio_low: low, ratio_high: high });
  return { ratio, rest: `${between === '' ? '' : ` (${between})`}, ${inWords(judgement, tone)}` };
}

export const textOf = (line: RatioLine, tone: Tone): string => {
  const { ratio, rest } = lineWords(line, tone);
  return ratio + rest;
};

const middles = (lines: RatioLine[]): number[] => lines.flatMap(({ judgement }) => judgement.middle ?? []);

function range(lines: RatioLine[]): string {
  const [low, high] = [Math.min, Math.max].map(end => number(end(...middles(lines))));
  return low === high ? `${low}×` : `${low} to ${high}×`;
}

const isOf =
  (better: boolean) =>
  ({ judgement }: RatioLine) =>
    judgement.kind === 'apart' && judgement.better === better;

/** `mimalloc is cheaper in 12 (0.82 to 0.97×) and costlier in 1 (1.02×) of 16 comparisons.` */
export function counts([name, lines]: [string, RatioLine[]], metric: Metric): string {
  const { better, worse } = toneOf(metric);
  const judged = lines.filter(({ judgement }) => judgement.kind !== 'unjudged');
  if (judged.length === 0) return `${name} is not judged.`;
  const parts = [
    { word: better, some: judged.filter(isOf(true)) },
    { word: worse, some: judged.filter(isOf(false)) },
  ].flatMap(({ word, some }) => (some.length === 0 ? [] : [`${word} in ${some.length} (${range(some)})`]));
  const all = plural(judged.length, 'comparison');
  return parts.length === 0 ? `${name} is ${TOO_CLOSE} in ${all}.` : `${name} is ${parts.join(' and ')} of ${all}.`;
}

/** `HTTP/2: −51 % (Poem) to −18 % (Rocket) CPU per request, of 6 frameworks; Actix Web −30 % and Axum −25 %.` */
export function sizes([name, lines]: [string, RatioLine[]], metric: Metric): string {
  const sized = lines
    .filter(({ subject }) => subject.role === 'framework' && subject.tier === 'maintained')
    .flatMap(({ server, judgement }) => (judgement.middle === undefined ? [] : [{ server, size: judgement.middle }]))
    .sort((a, b) => a.size - b.size);
  const [least, most] = [sized[0], sized.at(-1)];
  if (least === undefined || most === undefined) return `${name}: no framework has a ratio.`;
  const [low, high] = [least, most].map(({ size, server }) => `${difference(size)} (${server})`);
  const known = sized.filter(({ server }) => KNOWN.includes(server));
  const named = known.map(({ server, size }) => `${server} ${difference(size)}`);
  const of = `${low === high ? low : `${low} to ${high}`} ${metric.label}, of ${plural(sized.length, 'framework')}`;
  return `${name}: ${of}${named.length === 0 ? '' : `; ${listed(named)}`}.`;
}
