// Percentiles of latency as curves: the share of answers on a scale that spreads the tail, the latency on a logarithmic one.
import { PERCENTILES, type Percentile, tailScale } from '../data/percentiles';
import { s } from '../ui/dom';
import { between, number, tick as tickText } from '../ui/format';
import { area, type Place, percentLine, point, shiftOf, spread } from './area';
import type { Stroke } from './palette';
import { logarithmic, scaleOf } from './scale';

export interface CurveLine {
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

export function percentileChart(lines: CurveLine[], label: string): HTMLElement {
  const figures = lines.flatMap(({ points }) => points.flatMap(({ low, high }) => [low, high]));
  const [smallest, largest] = [Math.min(...figures), Math.max(...figures)];
  const room = Math.max(1, Math.sqrt((NARROWEST * smallest) / largest));
  const [from, to] = [smallest / room, largest * room];
  const scale = logarithmic(from, to);
  // Within one power of ten the round numbers of a linear axis are more.
  const ticks = scaleOf([from, to]).ticks.filter(tick => scale.percent(tick) >= 0 && scale.percent(tick) <= 100);
  const y = (figure: number) => 100 - scale.percent(figure);
  const curve = ({ name, points, stroke, trusted }: CurveLine, at: number) => {
    const shift = shiftOf(at, lines.length);
    const end = ({ share, median }: Percentile): Place => [x(share) + shift, y(median)];
    return s(
      'g',
      { class: trusted ? 'curve' : 'curve untrusted' },
      points.map(({ share, low, high }) => spread(x(share) + shift, [y(low), y(high)], stroke)),
      points.slice(1).map((to, before) => percentLine('step', end(points[before] as Percentile), end(to), stroke)),
      points.map(each =>
        point(end(each), stroke, `${name}, ${each.label}: ${number(each.median)} ms (${between(each.low, each.high)})`),
      ),
    );
  };
  return area(
    {
      label,
      units: ['ms'],
      upward: ticks.map(tick => [tickText(tick), y(tick)]),
      along: PERCENTILES.map(({ label, share }) => [label, x(share)]),
    },
    // Grey lines below the others.
    [...lines.keys()]
      .sort((a, b) => Number(lines[a]?.trusted) - Number(lines[b]?.trusted))
      .map(at => curve(lines[at] as CurveLine, at)),
  );
}
