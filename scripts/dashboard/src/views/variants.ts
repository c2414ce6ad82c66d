// Variants: what an allocator, a JSON library, a runtime or a setting is worth against the default of the same app, as far as the
// newest runs prove it.
import '../style/variants.css';
import type { Context, Shown } from '../app/context';
import { CPU, METRICS, type Metric } from '../data/metrics';
import { subjectName } from '../data/names';
import { fullTitle } from '../data/scenarios';
import { CONTROL, type Measured, measuredVariants, type VariantPair, variantPairs } from '../data/variants';
import { fold, select } from '../ui/controls';
import { h } from '../ui/dom';
import { day } from '../ui/format';
import { notice } from '../ui/notice';
import { pageNumber } from '../ui/table';
import { figuresTable } from './compare/result';
import { QUESTIONS } from './variants/questions';
import { section } from './variants/section';
import { answer, inWords, type Tone, toneOf } from './variants/sentences';

export async function show(context: Context): Promise<Shown> {
  const measured = await measuredVariants(context.store, context.index, context.lane);
  const offered = offeredOf(measured);
  const metric = offered.find(({ id }) => id === context.parameter('metric')) ?? offered[0] ?? CPU;
  const control = context.parameter('against') === CONTROL;
  const scenario = context.parameter('scenario');
  const all = variantPairs(measured, metric, control);
  const ofScenario = all.filter(pair => pair.scenario.id === scenario);
  const pairs = ofScenario.length === 0 ? all : ofScenario;
  // What the choice leaves out is measured all the same.
  const known = new Set([...all, ...variantPairs(measured, CPU, false)].map(({ variant }) => variant.question));
  const tone = toneOf(metric);
  return {
    title: 'Variants',
    body: [
      h('p', { class: 'eyebrow' }, 'Variants'),
      h('h1', {}, 'Does it make a server faster?'),
      h(
        'p',
        { class: 'lead' },
        'What an allocator, a JSON library, a runtime, a flag or a setting is worth: a program that has it, against one of the same app and run that differs in nothing else, mostly the default. ',
        metric.better === 'less' ? 'Below 1× the variant takes less.' : 'Above 1× the variant does more.',
      ),
      ...(all.length === 0
        ? [notice('No run on this machine has measured a variant yet.')]
        : [
            provenance(context, measured),
            controls(context, { offered, metric, all, chosen: ofScenario.length === 0 ? '' : (scenario ?? '') }),
            answers(pairs, tone),
          ]),
      ...QUESTIONS.map(each =>
        section(
          context,
          each,
          pairs.filter(({ variant }) => variant.question === each.id),
          { metric, control, isKnown: known.has(each.id) },
        ),
      ).filter(node => node !== null),
      all.length === 0 ? h('span', {}) : tableOf(context, pairs, metric),
      method(),
    ],
  };
}

/** Each question with what was found, in a line. */
function answers(pairs: VariantPair[], tone: Tone): HTMLElement {
  const lines = QUESTIONS.flatMap(({ id, question }) => {
    const own = pairs.filter(({ variant }) => variant.question === id);
    const names = [...new Set(own.map(({ variant }) => variant.name))];
    const found = names.map(name =>
      answer(
        name,
        own.filter(({ variant }) => variant.name === name),
        tone,
      ),
    );
    return own.length === 0 ? [] : [h('li', {}, h('b', {}, question), ` ${found.join(' ')}`)];
  });
  return h('ul', { class: 'answers' }, lines);
}

/** Those by which some variant is judged; without any, what a request costs, so that it can be said why. */
function offeredOf(measured: Measured[]): Metric[] {
  const judged = [...METRICS.values()].filter(metric =>
    variantPairs(measured, metric, false).some(({ judgement }) => judgement.kind !== 'unjudged'),
  );
  return judged.length === 0 ? [CPU] : judged;
}

/** The runs behind the figures. */
function provenance(context: Context, measured: Measured[]): HTMLElement {
  const runs = new Map(measured.map(each => [`${each.lane}/${each.run.id}`, each]));
  return h(
    'p',
    { class: 'provenance' },
    'Newest runs: ',
    [...runs.values()].map(({ lane, kind, run }, at) => [
      at === 0 ? '' : ' · ',
      h('a', { href: context.to('run', run.id, { lane }) }, `${kind}, ${day(run.started_at)}`),
    ]),
  );
}

interface Choice {
  offered: Metric[];
  metric: Metric;
  all: VariantPair[];
  /** The kind of work, empty for all. */
  chosen: string;
}

function controls({ go }: Context, { offered, metric, all, chosen }: Choice): HTMLElement {
  const scenarios = new Map(all.map(({ scenario, of }) => [scenario.id, fullTitle(scenario, of.period.scenarios)]));
  return h(
    'div',
    { class: 'controls control-line' },
    select(
      'metric',
      'Figure',
      offered.map(({ id, label }) => ({ value: id, label })),
      metric.id,
      value => go({ metric: value, page: null }),
    ),
    select(
      'scenario',
      'Kind of work',
      [{ value: '', label: 'All' }, ...[...scenarios].map(([value, label]) => ({ value, label }))],
      chosen,
      value => go({ scenario: value || null, page: null }),
    ),
  );
}

function tableOf(context: Context, pairs: VariantPair[], metric: Metric): HTMLElement {
  return fold('figures', 'The same figures as a table', () => [
    figuresTable(pairs, judgement => inWords(judgement, toneOf(metric)), {
      metric,
      labels: ['Compared with', 'Variant'],
      lineOf: ({ subject, scenario }) => `${subjectName(subject)}: ${scenario.id}`,
      page: pageNumber(context.parameter('page')),
      turn: page => context.go({ page: String(page) }),
    }),
  ]);
}

const method = (): HTMLElement =>
  h(
    'aside',
    { class: 'how' },
    h('h2', {}, 'How this is judged'),
    h(
      'p',
      {},
      'The published figures have the ratio of each server to the reference, and none of a variant to its default. So the ratio here is the quotient of the two, and its interval reaches to the extremes that both intervals allow: the lower end of the one ÷ the upper end of the other, and the reverse. It is wider than a direct one, which would not count the noise of the reference twice. Memory and start-up have no such ratio, and stand for themselves.',
    ),
    h(
      'p',
      {},
      '“By pairs” means that the run distinguishes the two; all pairs of a group, kind of work and figure hold together with 95 %, for this session. “By intervals” means that the interval of the quotient leaves out 1: an app of another kind is not compared by pairs. Such an interval holds by itself, so among very many lines one may leave out 1 by chance. Everything else is too close to call, however far its point lies from 1.',
    ),
  );
