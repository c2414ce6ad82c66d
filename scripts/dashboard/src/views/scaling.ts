// Scaling: what more workers are worth, as curves of speed-up over workers with the law that they follow.
import '../style/percentiles.css';
import '../style/scaling.css';
import type { Context, Shown } from '../app/context';
import { isDark } from '../app/theme';
import { strokeOf } from '../charts/palette';
import { speedUpChart } from '../charts/speed-up';
import { SCALING } from '../data/kinds';
import { subjectName } from '../data/names';
import { chosenOf, inOrder, isDrawn, widestOf, widthsOf } from '../data/scaling';
import { isProblem } from '../data/store';
import type { Scaling, ScalingCurve } from '../data/types';
import { fold, select } from '../ui/controls';
import { h } from '../ui/dom';
import { day, number, plural } from '../ui/format';
import { lineChooser } from '../ui/line-chooser';
import { notice } from '../ui/notice';
import { doubts, keys } from './scaling/lines';
import { method } from './scaling/method';
import { figuresTables, lawsTable } from './scaling/tables';

export async function show(context: Context): Promise<Shown> {
  const { index, lane, store } = context;
  // Read only where there is a run of it: a missing file would be an error on the console.
  const principal = index.lanes.get(lane.place);
  const has = index.lanes.has(`${lane.place}:${SCALING}`) || principal?.newest?.profile === SCALING;
  const read = has ? await store.scaling(lane.place) : null;
  const body = read === null || isProblem(read) ? [nothing(context, read?.problem ?? null)] : measured(context, read);
  return {
    title: 'Scaling',
    body: [
      h('p', { class: 'eyebrow' }, 'Scaling'),
      h('h1', {}, 'What more workers are worth'),
      h(
        'p',
        { class: 'lead' },
        'Each server with 1, 2, 4, 8 … workers, each on a cpu of its own: how many times as much it answers as with one, and what a request then costs. Without any loss, twice as many workers answer twice as much.',
      ),
      ...body,
      method(),
    ],
  };
}

const nothing = (context: Context, problem: string | null): HTMLElement =>
  problem === null
    ? h(
        'div',
        {},
        notice('No run on this machine has compared numbers of workers yet.'),
        h(
          'p',
          { class: 'faint' },
          'It takes two cpus that serve besides those that load, and is made on demand. ',
          h('a', { href: context.to('run') }, 'What runs when'),
        ),
      )
    : notice(problem);

function measured(context: Context, scaling: Scaling): HTMLElement[] {
  const scenarios = new Map(scaling.curves.map(({ scenario, title }) => [scenario, title]));
  const named = context.parameter('scenario') ?? '';
  const [first = ''] = scenarios.keys();
  const scenario = scenarios.has(named) ? named : first;
  const curves = inOrder(scaling.curves.filter(curve => curve.scenario === scenario));
  const chosen = chosenOf(context.parameter('curves'), curves);
  const dark = isDark();
  const lines = curves
    .filter(({ subject }) => chosen.includes(subject.key))
    .map((curve, at) => ({ name: subjectName(curve.subject), curve, stroke: strokeOf(at, dark) }));
  const drawn = lines.filter(({ curve }) => isDrawn(curve));
  const widths = widthsOf(curves);
  const answer = answerOf(curves);
  return [
    ...(answer === null ? [] : [h('p', { class: 'headline' }, answer)]),
    provenance(context, scaling),
    h(
      'div',
      { class: 'controls control-line' },
      select(
        'scenario',
        'Kind of work',
        [...scenarios].map(([value, title]) => ({ value, label: `${value}: ${title}` })),
        scenario,
        value => context.go({ scenario: value }),
      ),
    ),
    h('p', { class: 'reading' }, reading(scaling, curves)),
    drawn.length === 0
      ? h('p', { class: 'faint' }, 'Nothing is chosen that has a speed-up.')
      : speedUpChart(drawn, widths, `Speed-up over workers in ${scenario}; the table below has the same figures`),
    keys(lines),
    ...doubts(curves),
    lineChooser(
      context,
      curves.map(({ subject }) => subject),
      chosen,
    ),
    fold('figures', 'The same figures of all servers as tables', () => figuresTables(curves, widths)),
    lawsTable(curves),
  ];
}

/** `8 workers answer 5.9 to 7.6 times as much as one: Ohkami gains most, Rocket least.` */
function answerOf(curves: ScalingCurve[]): string | null {
  const widest = widestOf(curves);
  const speedUps = curves.flatMap(({ subject, points }) => {
    const speedUp = points.find(({ workers }) => workers === widest)?.speed_up ?? null;
    return subject.role !== 'framework' || speedUp === null ? [] : [{ name: subject.name, times: speedUp.estimate }];
  });
  const [most, least] = [speedUps[0], speedUps.at(-1)];
  if (widest === null || most === undefined || least === undefined) return null;
  const times = most === least ? number(most.times) : `${number(least.times)} to ${number(most.times)}`;
  const who = most === least ? most.name : `${most.name} gains most, ${least.name} least`;
  return `${plural(widest, 'worker')} answer ${times} times as much as one: ${who}.`;
}

function provenance(context: Context, { run }: Scaling): HTMLElement {
  const { cpu_model, logical_cpus } = run.machine;
  return h(
    'p',
    { class: 'provenance' },
    h('a', { href: context.to('run', run.id) }, `Run of ${day(run.started_at)}`),
    cpu_model === null ? '' : `, ${cpu_model}`,
    logical_cpus === null ? '' : `, ${plural(logical_cpus, 'cpu')}`,
    run.rounds === null ? '' : `, ${plural(run.rounds, 'round')}`,
  );
}

function reading({ server_cores }: Scaling, curves: ScalingCurve[]): string {
  const widest = widestOf(curves);
  const order =
    widest === null
      ? ''
      : ` Servers are in the order of their speed-up with ${plural(widest, 'worker')}, a choice and no ranking.`;
  const shared = curves.some(({ points }) => points.some(({ own_cores }) => !own_cores));
  const rings =
    shared && server_cores !== null
      ? ` Rings: workers that share the ${plural(server_cores, 'core')}, whose second threads are not worth a core; no law is fitted to them.`
      : '';
  return `A point is the median over the rounds of what so many workers answered ÷ what one answered in the same round, a whisker its 95 % interval; a line is the law that they follow, the grey one is without any loss.${rings}${order}`;
}
