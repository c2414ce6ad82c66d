// Each run as a forecast of the next: how many of its intervals held, as a curve and as a table.
import type { Forecast } from '../../data/types';
import { h, s } from '../../ui/dom';
import { day } from '../../ui/format';
import { faint } from '../../ui/parts';
import { table } from '../../ui/table';

const PROMISED = [50, 80, 95];
const [WIDTH, HEIGHT, LEFT] = [640, 180, 40];

const percent = (part: number, all: number): number => (all === 0 ? 0 : (100 * part) / all);

/** Sums over all forecasts up to each one. */
function running(forecasts: Forecast[]): { ratios: number; held: number[] }[] {
  let [ratios, held] = [0, PROMISED.map(() => 0)];
  return forecasts.map(each => {
    ratios += each.ratios;
    held = held.map((sum, place) => sum + (each.held[place] ?? 0));
    return { ratios, held };
  });
}

function curve(forecasts: Forecast[]): HTMLElement {
  const sums = running(forecasts);
  const x = (place: number) => LEFT + ((WIDTH - LEFT - 60) * place) / Math.max(1, sums.length - 1);
  const y = (share: number) => HEIGHT - 20 - ((HEIGHT - 40) * share) / 100;
  const lines = PROMISED.map((promised, which) => {
    const points = sums.map(({ ratios, held }, place) => [x(place), y(percent(held[which] ?? 0, ratios))] as const);
    const [endX, endY] = points.at(-1) ?? [LEFT, 0];
    return [
      s('line', {
        x1: LEFT,
        x2: WIDTH - 60,
        y1: y(promised),
        y2: y(promised),
        stroke: 'currentColor',
        'stroke-dasharray': '4 4',
        opacity: 0.4,
      }),
      s('polyline', {
        points: points.map(point => point.join(',')).join(' '),
        fill: 'none',
        stroke: 'currentColor',
        'stroke-width': 2,
      }),
      points.map(([cx, cy]) => s('circle', { class: 'median best', cx, cy, r: 3.5 })),
      s('text', { x: endX + 8, y: endY + 4, class: 'label' }, `${promised} %`),
    ];
  });
  const last = sums.at(-1);
  const said = PROMISED.map(
    (promised, which) => `${promised} %: ${Math.round(percent(last?.held[which] ?? 0, last?.ratios ?? 0))} %`,
  );
  return h(
    'figure',
    { class: 'example' },
    s(
      'svg',
      {
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
        role: 'img',
        'aria-label': `Share of intervals that held so far, of ${said.join(', of ')}`,
      },
      lines.flat(),
    ),
    h(
      'figcaption',
      { class: 'faint' },
      'Share of ratios that the next run found within the interval, over all runs so far; dashed: what was promised.',
    ),
  );
}

/** Nothing where no run was forecast. */
export function forecasts(all: Forecast[]): HTMLElement {
  const body =
    all.length === 0
      ? [faint('No run on this machine has a run of the same kind before it yet.')]
      : [
          curve(all),
          table(
            'Each run, as the run before it forecast it',
            [
              { label: 'Run', cell: row => day(Date.parse(row.at)) },
              { label: 'Sessions behind the intervals', figure: true, cell: row => `${row.sessions}` },
              { label: 'Ratios', figure: true, cell: row => `${row.ratios}` },
              ...PROMISED.map((promised, which) => ({
                label: `Held, of ${promised} %`,
                figure: true,
                cell: (row: Forecast) => `${Math.round(percent(row.held[which] ?? 0, row.ratios))} %`,
              })),
              { label: 'Pairs confirmed', figure: true, cell: row => `${row.confirmed} of ${row.pairs}` },
              { label: 'Reversed', figure: true, cell: row => `${row.reversed}` },
            ],
            all,
          ),
        ];
  return h('section', {}, h('h3', {}, 'Figures: each run is a forecast of the next'), ...body);
}

/** In a sentence: what the intervals promised, and what came. */
export function inShort(forecasts: Forecast[]): string {
  const last = running(forecasts).at(-1);
  if (last === undefined) return 'No run could be held against a later one so far.';
  const all = (of: (forecast: Forecast) => number) =>
    forecasts.reduce((sum, each) => sum + of(each), 0).toLocaleString('en');
  const held = Math.round(percent(last.held.at(-1) ?? 0, last.ratios));
  return `Each run is a forecast of the next: ${held} % of ${last.ratios.toLocaleString('en')} ratios lay in their 95 % intervals, and of ${all(each => each.pairs)} distinguished pairs, ${all(each => each.confirmed)} were confirmed and ${all(each => each.reversed)} reversed. An interval of few sessions knows only their rounds, and not how much days differ: take the order from it, and not the last percent.`;
}
