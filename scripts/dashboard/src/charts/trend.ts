// The chart of trends: uPlot with bands of intervals, marks of what changed, and a tip at the pointer. Dragging zooms, which ends in a new
// address, so that the reader can share and undo it.

import uPlot from 'uplot';
import { faint } from '../ui/parts';
import 'uplot/dist/uPlot.min.css';
import { isDark } from '../app/theme';
import type { Drawn } from '../data/figures';
import { subjectName } from '../data/names';
import { h } from '../ui/dom';
import { between, day, inBrackets, number, tick as tickText } from '../ui/format';
import { strokeOf } from './palette';
import type { TrendColumns } from './trend-data';

export interface ChartMark {
  /** Seconds since 1970. */
  at: number;
  text: string;
  tone: 'good' | 'bad' | 'still';
  /** The line it belongs to; a mark of all goes through the whole height. */
  subject: string | null;
}

interface TrendOptions {
  columns: TrendColumns;
  axisLabel: string;
  /** Of the axis and the tip: `×` or a unit. */
  unit: string;
  bands: boolean;
  marks: ChartMark[];
  /** Seconds; what the axis shows. */
  from: number;
  to: number;
  zoomed: (from: number, to: number) => void;
  reset: () => void;
}

const HEIGHT = 440;
/** Dates of the axis, as uPlot wants them: from which step on (seconds), the text, what is added where the year, month or day
 * turns, and that it is added below. */
const DATES: uPlot.Axis.Values = [
  [365 * 86_400, '{YYYY}', null, null, null, null, null, null, 1],
  [28 * 86_400, '{MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [86_400, '{D} {MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [3600, '{HH}:{mm}', '\n{D} {MMM} {YYYY}', null, '\n{D} {MMM}', null, null, null, 1],
  [60, '{HH}:{mm}', '\n{D} {MMM} {YYYY}', null, '\n{D} {MMM}', null, null, null, 1],
];
/** The columns of a line, in their order. */
const ENDS = ['middle', 'low', 'high'] as const;
/** Pixels of the name at the end of a line. */
const NAME = { width: 116, height: 13 };
/** Pixels within which the pointer means a mark or a point. */
const NEAR = 14;

/** Gives what takes it away again. */
export function drawTrend(box: HTMLElement, options: TrendOptions): () => void {
  performance.mark('trend-draw-start');
  const { columns } = options;
  const ink = colourOf(box, '--ink-2');
  const grid = colourOf(box, '--line');
  const tip = h('div', { class: 'tip', hidden: true });
  const column = (drawn: (Drawn | null)[], end: keyof Drawn) => drawn.map(each => each?.[end] ?? null);
  const data: uPlot.AlignedData = [
    columns.x,
    ...columns.lines.flatMap(({ drawn }) => ENDS.map(end => column(drawn, end))),
  ];
  const series: uPlot.Series[] = [{}, ...columns.lines.flatMap((_, at) => seriesOf(at, options))];
  const bands: uPlot.Band[] = options.bands
    ? columns.lines.map((_, at) => ({
        series: [at * 3 + 3, at * 3 + 2],
        fill: `${strokeOf(at, isDark()).colour}2e`,
      }))
    : [];
  const axis = {
    stroke: ink,
    grid: { stroke: grid, width: 1 },
    ticks: { stroke: grid, width: 1 },
    font: '12px system-ui, sans-serif',
  };
  const chart = new uPlot(
    {
      width: Math.max(280, box.clientWidth),
      height: window.innerWidth < 600 ? 320 : HEIGHT,
      padding: [18, window.innerWidth < 600 ? 12 : NAME.width, 0, 0],
      legend: { show: false },
      cursor: { drag: { x: true, y: false, setScale: false }, points: { show: false } },
      scales: {
        x: { time: true, range: () => [options.from, options.to] },
        y: { range: (_, low, high) => yRange(low, high) },
      },
      // uPlot counts times in the reader's zone, the records in UTC.
      tzDate: seconds => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
      axes: [
        { ...axis, values: DATES },
        {
          ...axis,
          size: 64,
          label: options.axisLabel,
          labelSize: 18,
          labelFont: '12px system-ui, sans-serif',
          values: (_, ticks) => ticks.map(tickText),
        },
      ],
      series,
      bands,
      hooks: {
        drawClear: [u => drawUprights(u, options, colourOf(box, '--line-strong'))],
        draw: [u => drawDiamonds(u, options), u => drawNames(u, options), drawn],
        setCursor: [u => showTip(u, tip, options)],
        setSelect: [
          u => {
            if (u.select.width < 6) return;
            const [from, to] = [u.posToVal(u.select.left, 'x'), u.posToVal(u.select.left + u.select.width, 'x')];
            options.zoomed(from, to);
          },
        ],
      },
    },
    data,
    box,
  );
  chart.over.append(tip);
  chart.over.addEventListener('dblclick', () => options.reset());
  const resized = new ResizeObserver(() => {
    const width = Math.max(280, box.clientWidth);
    if (width !== chart.width) chart.setSize({ width, height: chart.height });
  });
  resized.observe(box);
  return () => {
    resized.disconnect();
    chart.destroy();
  };
}

/** For who measures how long a reader waits. */
function drawn(): void {
  performance.mark('trend-draw-end');
  performance.measure('trend-draw', 'trend-draw-start', 'trend-draw-end');
}

/** Points that no line joins to another are drawn however many there are. */
const alone = (u: uPlot, series: number, show: boolean): number[] | null =>
  show
    ? null
    : [...(u.data[series] ?? [])].flatMap((y, at, all) =>
        y != null && all[at - 1] == null && all[at + 1] == null ? [at] : [],
      );

/** The line of this place among all, which gives its colour. */
function seriesOf(place: number, options: TrendOptions): uPlot.Series[] {
  const { colour, dash } = strokeOf(place, isDark());
  const bound: uPlot.Series = { stroke: 'transparent', width: 0, points: { show: false }, show: options.bands };
  const few = options.columns.x.length < 40;
  return [
    {
      stroke: colour,
      width: 2,
      dash,
      spanGaps: false,
      points: { show: few, size: 5, fill: colour, filter: alone },
    },
    bound,
    bound,
  ];
}

/** A little room above and below, and never a range of nothing. */
function yRange(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const room = (high - low) * 0.08 || Math.abs(high) * 0.05 || 1;
  return [low >= 0 ? Math.max(0, low - room) : low - room, high + room];
}

/** The colour that a custom property stands for now, light or dark. */
function colourOf(within: HTMLElement, property: string): string {
  const probe = h('span', {});
  probe.style.color = `var(${property})`;
  within.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function drawUprights(u: uPlot, options: TrendOptions, colour: string): void {
  const { ctx, bbox } = u;
  ctx.save();
  ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
  ctx.lineWidth = devicePixelRatio;
  ctx.strokeStyle = colour;
  for (const mark of options.marks) {
    if (mark.subject !== null || mark.at < options.from || mark.at > options.to) continue;
    const x = Math.round(u.valToPos(mark.at, 'x', true)) + 0.5;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top - 10 * devicePixelRatio);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    flag(ctx, x, bbox.top - 10 * devicePixelRatio, colour);
  }
  ctx.restore();
}

/** A small head on an upright, so that it is not taken for a line of the grid. */
function flag(ctx: CanvasRenderingContext2D, x: number, y: number, colour: string): void {
  const r = 4 * devicePixelRatio;
  ctx.beginPath();
  ctx.moveTo(x - r, y - r);
  ctx.lineTo(x + r, y - r);
  ctx.lineTo(x, y + r);
  ctx.closePath();
  ctx.fillStyle = colour;
  ctx.fill();
}

/** Where a mark of one line stands: at its figure. */
function placeOfMark(u: uPlot, mark: ChartMark, options: TrendOptions): { x: number; y: number } | null {
  const { columns } = options;
  if (mark.at < options.from || mark.at > options.to) return null;
  const line = columns.lines.find(({ line }) => line.subject.key === mark.subject);
  const at = columns.x.findIndex(x => x >= mark.at);
  const drawn = line?.drawn[at] ?? line?.drawn[at + 1];
  return drawn == null ? null : { x: u.valToPos(mark.at, 'x'), y: u.valToPos(drawn.middle, 'y') };
}

function drawDiamonds(u: uPlot, options: TrendOptions): void {
  const { ctx, bbox } = u;
  const scale = devicePixelRatio;
  const colours = {
    good: colourOf(u.root, '--good'),
    bad: colourOf(u.root, '--bad'),
    still: colourOf(u.root, '--ink-2'),
  };
  const surface = colourOf(u.root, '--surface');
  ctx.save();
  for (const mark of options.marks) {
    const place = placeOfMark(u, mark, options);
    if (place === null) continue;
    const [x, y, r] = [place.x * scale + bbox.left, place.y * scale + bbox.top, 6 * scale];
    ctx.beginPath();
    ctx.moveTo(x, y - r);
    ctx.lineTo(x + r, y);
    ctx.lineTo(x, y + r);
    ctx.lineTo(x - r, y);
    ctx.closePath();
    ctx.fillStyle = colours[mark.tone];
    ctx.fill();
    ctx.lineWidth = 1.5 * scale;
    ctx.strokeStyle = surface;
    ctx.stroke();
  }
  ctx.restore();
}

/** The name of each line at its end, apart from the others; where there is no room, the list below the chart has them. */
function drawNames(u: uPlot, { columns, from, to }: TrendOptions): void {
  const { ctx, bbox } = u;
  const scale = devicePixelRatio;
  const isShown = (at: number) => (columns.x[at] ?? 0) >= from && (columns.x[at] ?? 0) <= to;
  const ends = columns.lines.flatMap(({ line: { subject }, drawn }, place) => {
    const at = drawn.findLastIndex((each, at) => each !== null && isShown(at));
    const [last, time] = [drawn[at], columns.x[at]];
    if (last == null || time === undefined) return [];
    return [{ place, subject, x: u.valToPos(time, 'x'), y: u.valToPos(last.middle, 'y') }];
  });
  const height = bbox.height / scale;
  if (window.innerWidth < 600 || ends.length * NAME.height > height) return;
  let floor = height;
  // From below, as high as the one below demands, and where that is too high, from above.
  for (const end of ends.sort((a, b) => b.y - a.y)) {
    end.y = Math.min(end.y, floor);
    floor = end.y - NAME.height;
  }
  let ceiling = NAME.height / 2;
  for (const end of ends.reverse()) {
    end.y = Math.max(end.y, ceiling);
    ceiling = end.y + NAME.height;
  }
  ctx.save();
  ctx.font = `${12 * scale}px system-ui, sans-serif`;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'middle';
  for (const { place, subject, x, y } of ends) {
    ctx.fillStyle = strokeOf(place, isDark()).colour;
    ctx.fillText(subjectName(subject), bbox.left + (x + 8) * scale, bbox.top + y * scale, (NAME.width - 10) * scale);
  }
  ctx.restore();
}

function showTip(u: uPlot, tip: HTMLElement, options: TrendOptions): void {
  const { left = -1, top = -1, idx } = u.cursor;
  const lines =
    left < 0 || idx == null ? [] : [...markLines(u, left, top, options), ...pointLines(u, top, idx, options)];
  tip.hidden = lines.length === 0;
  if (lines.length === 0) return;
  tip.replaceChildren(...lines);
  const flip = left > u.over.clientWidth / 2;
  tip.style.left = flip ? '' : `${left + 14}px`;
  tip.style.right = flip ? `${u.over.clientWidth - left + 14}px` : '';
  tip.style.top = `${Math.max(0, Math.min(top, u.over.clientHeight - 90))}px`;
}

function markLines(u: uPlot, left: number, top: number, options: TrendOptions): HTMLElement[] {
  return options.marks.flatMap(mark => {
    const place = mark.subject === null ? { x: u.valToPos(mark.at, 'x'), y: top } : placeOfMark(u, mark, options);
    const near = place !== null && Math.abs(place.x - left) < NEAR / 2 && Math.abs(place.y - top) < NEAR;
    return near ? [h('p', { class: `mark ${mark.tone}` }, `${day(mark.at * 1000)}: ${mark.text}`)] : [];
  });
}

function pointLines(u: uPlot, top: number, idx: number, options: TrendOptions): HTMLElement[] {
  const { columns, unit } = options;
  const near = columns.lines.flatMap(({ line, drawn: { [idx]: drawn } }) => {
    const distance = drawn ? Math.abs(u.valToPos(drawn.middle, 'y') - top) : Infinity;
    return drawn && distance <= NEAR * 3 ? [{ line, drawn, distance }] : [];
  });
  const [nearest] = near.sort((a, b) => a.distance - b.distance);
  const seconds = columns.x[idx];
  if (nearest === undefined || seconds === undefined) return [];
  const { line, drawn } = nearest;
  const version = line.versions[columns.points[idx] ?? -1];
  return [
    h('p', { class: 'point' }, h('b', {}, subjectName(line.subject)), version && ` ${version}`),
    h('p', {}, number(drawn.middle) + unit + inBrackets(between(drawn.low, drawn.high))),
    faint(day(seconds * 1000)),
  ];
}
