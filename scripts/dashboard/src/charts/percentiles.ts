// Percentiles of latency as curves: the share of answers on a scale that spreads the tail, the latency on a logarithmic one.
import { PERCENTILES, type Percentile, tailScale } from '../data/percentiles';
import { s } from '../ui/dom';
import { between, number, tick as tickText } from '../ui/format';
import { area, type Place, point, straight } from './area';
import type { Stroke } from './palette';
import { logarithmic, scaleOf } from './scale';

interface CurveLine {
  name: string;
  points: Percentile[];
  stroke: Stroke;
  trusted: boolean;
}

const FROM = tailScale(PERCENTILES[0].share);
const TO = tailScale(PERCENTILES[4].share);

const x = (share: number): number => ((tailScale(share) - FROM) / (TO - FROM)) * 100;

/** A narrower axis would make much of nothing. */
const NARROWEST = 1.3;

/** How far a line is moved to the side, so that the whiskers of several at one place stay distinct. */
const shiftOf = (at: number, lines: number): number => (at - (lines - 1) / 2) * 0.55;

export function percentileChart(lines: CurveLine[], label: string): HTMLElement {
  const figures = lines.flatMap(({ points }) => points.flatMap(({ low, high }) => [low, high]));
  const [smallest, largest] = [Math.min(...figures), Math.max(...figures)];
  const room = Math.max(1, Math.sqrt((NARROWEST * smallest) / largest));
  const [from, to] = [smallest / room, largest * room];
  const scale = logarithmic(from, to);
  // Within one power of ten the round numbers of a linear axis are more.
  const ticks = scaleOf([from, to]).ticks.filter(tick => scale.percent(tick) >= 0 && scale.percent(tick) <= 100);
  const y = (figure: number) => 100 - scale.percent(figure);
  const curve = ({ name, points, stroke: { colour, dash }, trusted }: CurveLine, at: number) => {
    const shift = shiftOf(at, lines.length);
    const end = ({ share, median }: Percentile): Place => [x(share) + shift, y(median)];
    const text = ({ label, median, low, high }: Percentile) =>
      `${name}, ${label}: ${number(median)} ms (${between(low, high)})`;
    return s(
      'g',
      { class: trusted ? 'curve' : 'curve untrusted' },
      points.map(({ share, low, high }) =>
        straight('spread', [x(share) + shift, y(low)], [x(share) + shift, y(high)], colour),
      ),
      points.slice(1).map((to, before) => straight('step', end(points[before] as Percentile), end(to), colour, dash)),
      points.map(each => point(end(each), colour, text(each))),
    );
  };
  return area(
    label,
    'ms',
    ticks.map(tick => [tickText(tick), y(tick)]),
    PERCENTILES.map(({ label, share }) => [label, x(share)]),
    // Grey lines below the others.
    [...lines.keys()]
      .sort((a, b) => Number(lines[a]?.trusted) - Number(lines[b]?.trusted))
      .map(at => curve(lines[at] as CurveLine, at)),
  );
}
