// What one server is in two forms: in a variant and as it comes, over TLS or HTTP/2 and over plain HTTP/1.1, with more workers and with
// one. The address names the group of questions.

import type { Context, Shown } from '../app/context';
import { hasFigures } from '../app/shell';
import type { Metric } from '../data/metrics';
import { byName, type RatioLine } from '../data/ratios';
import { shortTitle } from '../data/scenarios';
import { fold, linkChoice } from '../ui/controls';
import { type Children, h, link } from '../ui/dom';
import { plural } from '../ui/format';
import {
  AS_TABLE,
  chosenMetric,
  controlLine,
  faint,
  list,
  measuredOn,
  metricSelect,
  notice,
  reading,
  workSelect,
} from '../ui/parts';
import { figuresTable } from './compare/result';
import { GROUPS, type Group, type Measurements } from './ratios/groups';
import { section } from './ratios/section';
import { textOf } from './ratios/sentences';

export async function show(context: Context): Promise<Shown> {
  const { index, lane, route } = context;
  const shown = GROUPS.filter(({ id }) => hasFigures(id, index, lane));
  const group = GROUPS.find(({ id }) => id === route.subject) ?? shown[0] ?? (GROUPS[0] as Group);
  const found = await group.read(context);
  return {
    title: group.title,
    body: [
      linkChoice(
        'What is varied',
        GROUPS.filter(each => each === group || shown.includes(each)).map(each => ({
          id: `group-${each.id}`,
          href: context.to('ratios', each.id),
          text: each.title,
          isHere: each === group,
        })),
      ),
      h('h1', {}, group.heading),
      h('p', { class: 'lead' }, group.lead),
      typeof found === 'string'
        ? [notice(found), faint(link(context.to('run'), 'What runs when'))]
        : measured(context, group, found),
      group.how.map(text => reading(text)),
    ],
  };
}

function measured(context: Context, group: Group, { metrics, linesBy, above }: Measurements) {
  const metric = chosenMetric(context, metrics) as Metric;
  const all = linesBy(metric);
  const titles = new Map(all.map(({ work, title }) => [work, title]));
  const named = context.parameter('scenario') ?? '';
  const work = titles.has(named) ? named : group.eachWork ? ([...titles.keys()][0] ?? '') : '';
  const lines = work === '' ? all : all.filter(line => line.work === work);
  const known = new Set([...all, ...linesBy(metrics[0] as Metric)].map(({ question }) => question));
  return [
    measuredOn(context, all),
    metrics.length === 1 && titles.size === 1
      ? null
      : controlLine(metricSelect(context, metrics, metric), workSelect(context, titles, work, !group.eachWork)),
    list('answers', answers(group, lines, metric)),
    above?.(work),
    group.questions.map(topic =>
      section(
        context,
        topic,
        lines.filter(({ question }) => question === topic.id),
        metric,
        known.has(topic.id),
      ),
    ),
    fold('figures', AS_TABLE, () => [tableOf(context, lines, metric)]),
  ];
}

/** Of one question what is known of each name, of several each with all that is. */
function answers({ questions, answer }: Group, lines: RatioLine[], metric: Metric): Children[] {
  return questions.flatMap(({ id, question }): Children[] => {
    const own = lines.filter(line => line.question === id);
    const found = byName(own).map(each => answer(each, metric));
    if (questions.length === 1) return found;
    const servers = plural(new Set(own.map(({ server }) => server)).size, 'framework');
    return own.length === 0 ? [] : [[h('b', {}, question), ` With ${servers}: ${found.join(' ')}`]];
  });
}

const tableOf = (context: Context, lines: RatioLine[], metric: Metric): HTMLElement =>
  figuresTable(context, lines, {
    metric,
    labels: ['Compared with', 'In the other form'],
    lineOf: ({ server, name, work }) => `${server}, ${name}: ${shortTitle(work)}`,
    words: line => textOf(line, metric),
  });
