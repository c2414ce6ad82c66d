// How latency is spread at a fixed rate: a curve for the reference, the first few of the ranking, and whom the reader adds, in colour where
// their figures are trusted, grey and with the reason where they are not.

import type { Context } from '../../app/context';
import { isDark } from '../../app/theme';
import { type Stroke, strokeOf } from '../../charts/palette';
import { percentileChart } from '../../charts/percentiles';
import { reasonOf } from '../../charts/ranking';
import { subjectName } from '../../data/names';
import { type Curve, coverage, curvesOf, JUDGED_BY, PERCENTILES, percentilesOf } from '../../data/percentiles';
import { type Row, rowsOf, type Snapshot } from '../../data/snapshot';
import { isProblem } from '../../data/store';
import type { Scenario, Subject } from '../../data/types';
import { fold } from '../../ui/controls';
import { between, listed, MISSING, number } from '../../ui/format';
import { chips, keys } from '../../ui/line-chooser';
import { faint, leftOut, reading } from '../../ui/parts';
import { table } from '../../ui/table';
import { BEST, chosenOf, FIRST, inOrder, MOST_LINES } from './lines';

export async function latencyCurves(context: Context, state: Snapshot): Promise<HTMLElement[]> {
  const curves = await curvesIn(context, state);
  if (typeof curves === 'string') return [faint(curves)];
  const rows = inOrder(rowsOf(state, JUDGED_BY));
  const chosen = chosenOf(context.parameter('curves'), rows);
  return [
    ...percentiles(
      state,
      rows.filter(({ subject }) => chosen.includes(subject.key)),
      curves,
    ),
    lineChooser(
      context,
      rows.map(({ subject }) => subject),
      chosen,
    ),
  ];
}

/** The curves of a scenario in its run, or a sentence why there are none. */
async function curvesIn(context: Context, { run, scenario }: Snapshot): Promise<Map<string, Curve> | string> {
  const record = await context.store.record(context.lane.place, run.id);
  if (isProblem(record))
    return record.missing
      ? 'The record of this run is not published here, and only a record has more than p50 and p99.'
      : record.problem;
  const curves = curvesOf(record.trials, scenario);
  return curves.size === 0 ? 'The record of this run has no percentiles of this kind of work.' : curves;
}

interface Line {
  row: Row;
  curve: Curve | null;
  trusted: boolean;
  stroke: Stroke;
}

/** `rows` in the order in which they get their colours. */
function linesOf(rows: Row[], curves: Map<string, Curve>): Line[] {
  const dark = isDark();
  return rows.map((row, at) => ({
    row,
    curve: curves.get(row.subject.key) ?? null,
    trusted: row.cell.value?.trusted ?? false,
    stroke: strokeOf(at, dark),
  }));
}

/** The sentences, the chart, and the table of these rows. */
function percentiles({ scenario }: Snapshot, rows: Row[], curves: Map<string, Curve>): HTMLElement[] {
  const lines = linesOf(rows, curves);
  const drawn = lines.flatMap(line => (line.curve === null ? [] : [{ ...line, curve: line.curve }]));
  const rate = scenario.load.model === 'open' ? scenario.load.rate_rps : 0;
  const rounds = Math.max(0, ...drawn.map(({ curve }) => curve.rounds));
  const label = `Percentiles of latency at ${rate.toLocaleString('en')} requests a second; the table below has the same figures`;
  return [
    reading(readingOf(rate, rounds), tooFew(scenario)),
    drawn.length === 0
      ? faint('Nothing is chosen that has percentiles.')
      : percentileChart(
          drawn.map(({ row, curve, trusted, stroke }) => ({
            name: subjectName(row.subject),
            points: curve.points,
            stroke,
            trusted,
          })),
          label,
        ),
    keys(drawn.map(({ row, stroke, trusted }) => ({ name: subjectName(row.subject), stroke, trusted }))),
    ...doubts(lines),
    fold('percentiles', 'The same percentiles as a table', () => [figuresTable(scenario, lines)]),
  ];
}

function readingOf(rate: number, rounds: number): string {
  const certain = rounds < 2 ? '' : `: of ${rounds} rounds, that holds the true median with ${share(coverage(rounds))}`;
  return `Every server got ${rate.toLocaleString('en')} requests a second, however slowly it answered, so the lines can be compared. A point is the median over the rounds, a whisker reaches from the lowest round to the highest${certain}. On the axis p90, p99 and p99.9 are equally far apart, so that the tail can be seen. Only p50 is ranked: a tail is shown and ranks nobody.`;
}

const share = (value: number): string => `${number(value * 100)}\u00a0%`;

/** A tail of few requests is a handful of them. */
function tooFew(scenario: Scenario): string {
  const known = new Set<string>(percentilesOf(scenario).map(({ label }) => label));
  const left = PERCENTILES.filter(({ label }) => !known.has(label)).map(({ label }) => label);
  return left.length === 0 ? '' : ` A round has too few requests for ${listed(left)}.`;
}

/** Why a line is grey, or not there. */
function doubts(lines: Line[]): HTMLElement[] {
  const named = (some: Line[]) => some.map(({ row }): [string, string] => [subjectName(row.subject), reasonOf(row)]);
  return [
    leftOut('Grey, because not trusted', named(lines.filter(({ curve, trusted }) => curve !== null && !trusted))),
    leftOut('Without percentiles', named(lines.filter(({ curve }) => curve === null))),
  ].filter(each => each !== null);
}

function figuresTable(scenario: Scenario, lines: Line[]): HTMLElement {
  const figure = ({ curve }: Line, label: string) => {
    const point = curve?.points.find(each => each.label === label);
    return point === undefined ? MISSING : `${number(point.median)} (${between(point.low, point.high)})`;
  };
  return table(
    'Latency in ms: median over the rounds (lowest to highest round)',
    [
      { label: 'Framework', cell: ({ row }) => subjectName(row.subject) },
      ...percentilesOf(scenario).map(({ label }) => ({
        label,
        figure: true,
        cell: (line: Line) => figure(line, label),
      })),
      { label: 'Rounds', figure: true, cell: ({ curve }) => curve?.rounds ?? MISSING },
      { label: 'Verdict', prose: true, cell: ({ row }) => reasonOf(row) },
    ],
    lines,
    ({ trusted }) => (trusted ? null : 'untrusted'),
  );
}

const lineChooser = ({ go }: Context, all: Subject[], chosen: string[]): HTMLElement =>
  chips(all, {
    name: 'curve',
    legend: `Lines, ${MOST_LINES} at most`,
    chosen,
    choose: keys => go({ curves: keys.join(',') || 'none' }),
    most: MOST_LINES,
    buttons: [['curves-best', `Reference and first ${FIRST}`, () => go({ curves: BEST })]],
  });
