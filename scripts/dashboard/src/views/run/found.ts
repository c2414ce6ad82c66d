// What a run found: one figure of one kind of work, as the record's summary says it, ranks and all.
import type { Context } from '../../app/context';
import { CPU, METRICS } from '../../data/metrics';
import { KINDS } from '../../data/snapshot';
import type { RunRecord, SummaryCell } from '../../data/types';
import { verdictLabel } from '../../data/verdicts';
import { select } from '../../ui/controls';
import { h } from '../../ui/dom';
import { figure, MISSING, rankText, ratioTexts } from '../../ui/format';
import { table } from '../../ui/table';

export function foundOf(context: Context, { apps, harness }: RunRecord, summary: SummaryCell[]): HTMLElement {
  const scenarios = [...new Set(summary.map(({ scenario }) => scenario))];
  const named = context.parameter('of');
  const scenario = scenarios.find(each => each === named) ?? scenarios[0];
  if (scenario === undefined) return h('span', {});
  const measured = new Set(summary.flatMap(({ metrics }) => [...metrics.keys()]));
  const offered = [...METRICS.values()].filter(({ id }) => measured.has(id));
  const metric = offered.find(({ id }) => id === context.parameter('metric')) ?? offered[0] ?? CPU;
  const names = new Map(apps.map(app => [app.get('id'), app.get('name')]));
  const kindOf = new Map(
    apps.map(app => [app.get('id'), app.get('role') === 'framework' ? (app.get('tier') ?? '') : 'to compare with']),
  );
  // Each kind is ranked for itself.
  const kindOrder = ({ app }: SummaryCell) => {
    const place = KINDS.findIndex(({ tier }) => tier === kindOf.get(app));
    return place < 0 ? KINDS.length : place;
  };
  const of = ({ metrics }: SummaryCell) => metrics.get(metric.id) ?? null;
  // By what is ranked; a published record leaves figures out that its trials give, and then the ranks are all that is known.
  const key = (cell: SummaryCell) => {
    const found = of(cell);
    if (!found?.trusted) return [2, 0] as const;
    const by = found.ratio ?? found.median;
    return by === null
      ? ([1, found.rank?.best ?? Infinity] as const)
      : ([0, metric.better === 'less' ? by : -by] as const);
  };
  const rows = summary
    .filter(cell => cell.scenario === scenario)
    .map(cell => ({ cell, key: key(cell) }))
    .sort(
      (a, b) =>
        kindOrder(a.cell) - kindOrder(b.cell) ||
        a.key[0] - b.key[0] ||
        (a.key[1] === b.key[1] ? 0 : a.key[1] - b.key[1]),
    )
    .map(({ cell }) => cell);
  const most = Math.max(0, ...rows.map(cell => of(cell)?.trials ?? 0));
  const ratios = rows.some(cell => of(cell)?.ratio != null);
  const figures = rows.some(cell => of(cell)?.median != null);
  const inWords = (cell: SummaryCell) => ratioTexts(of(cell) ?? { ratio: null, ratio_low: null, ratio_high: null });
  const name = ({ app, variant }: SummaryCell) =>
    (names.get(app) ?? app) + (variant === 'default' ? '' : `, ${variant}`);
  return h(
    'section',
    {},
    h('h2', {}, 'What it found'),
    h(
      'div',
      { class: 'controls control-line' },
      select(
        'of',
        'Kind of work',
        scenarios.map(value => ({ value, label: value })),
        scenario,
        value => context.go({ of: value }),
      ),
      select(
        'metric',
        'Figure',
        offered.map(({ id, label }) => ({ value: id, label })),
        metric.id,
        value => context.go({ metric: value }),
      ),
    ),
    table(
      `${metric.label}, ${scenario}`,
      [
        { label: 'App', cell: name },
        { label: 'Kind', cell: ({ app }) => kindOf.get(app) ?? MISSING },
        { label: 'Rank', figure: true, cell: cell => rankText(of(cell)?.rank ?? null) },
        ...(ratios
          ? [
              { label: '× reference', figure: true, cell: (cell: SummaryCell) => inWords(cell).ratio },
              {
                label: '95 % interval of the ratio',
                figure: true,
                cell: (cell: SummaryCell) => inWords(cell).between || MISSING,
              },
            ]
          : []),
        ...(figures
          ? [{ label: 'Figure', figure: true, cell: (cell: SummaryCell) => figure(metric, of(cell)?.median ?? null) }]
          : []),
        {
          label: 'Rounds',
          figure: true,
          cell: cell => {
            const trials = of(cell)?.trials ?? null;
            if (trials === null) return MISSING;
            return trials < most ? `${trials} of ${harness.get('rounds') ?? most}` : trials;
          },
        },
        {
          label: 'Verdict',
          prose: true,
          cell: cell =>
            verdictLabel(cell.verdict) + (cell.reason === null || of(cell)?.trusted ? '' : `: ${cell.reason}`),
        },
      ],
      rows,
      cell => (of(cell)?.trusted ? null : 'untrusted'),
    ),
    ratios || figures
      ? null
      : h('p', { class: 'faint' }, 'The published record leaves out what its trials give: the figures stand in Now.'),
  );
}
