// Percentiles of latency as curves: the share of answers on a scale that spreads the tail, the latency on a logarithmic one. All
// places are per cent, so that nothing has to be drawn again when the width changes.
import { PERCENTILES, type Percentile, tailScale } from '../data/percentiles';
import { h, place, s } from '../ui/dom';
import { between, number, tick as tickText } from '../ui/format';
import type { Stroke } from './palette';
import { percent, percentLine, SPACING } from './percent-line';
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
    const shift = (at - (lines.length - 1) / 2) * SPACING;
    const end = ({ share }: Percentile) => x(share) + shift;
    return s(
      'g',
      { class: trusted ? 'curve' : 'curve untrusted' },
      points.map(point =>
        percentLine('spread', [end(point), y(point.low)], [end(point), y(point.high)], { ...stroke, dash: [] }),
      ),
      points.slice(1).map((point, before) => {
        const from = points[before] as Percentile;
        return percentLine('step', [end(from), y(from.median)], [end(point), y(point.median)], stroke);
      }),
      points.map(point =>
        s(
          'circle',
          { cx: percent(end(point)), cy: percent(y(point.median)), r: 4, fill: stroke.colour },
          s('title', {}, `${name}, ${point.label}: ${number(point.median)} ms (${between(point.low, point.high)})`),
        ),
      ),
    );
  };
  return h(
    'div',
    { class: 'percentiles', role: 'img', 'aria-label': label },
    h('p', { class: 'unit', 'aria-hidden': 'true' }, 'ms'),
    h(
      'div',
      { class: 'area', 'aria-hidden': 'true' },
      ticks.map(tick => place(h('span', { class: 'upward' }, tickText(tick)), { top: percent(y(tick)), left: '0' })),
      PERCENTILES.map(({ label, share }) => place(h('span', { class: 'along' }, label), { left: percent(x(share)) })),
      s(
        'svg',
        {},
        ticks.map(tick => percentLine('grid', [0, y(tick)], [100, y(tick)])),
        PERCENTILES.map(({ share }) => percentLine('grid', [x(share), 0], [x(share), 100])),
        // Grey lines below the others.
        [...lines.keys()]
          .sort((a, b) => Number(lines[a]?.trusted) - Number(lines[b]?.trusted))
          .map(at => curve(lines[at] as CurveLine, at)),
      ),
    ),
  );
}
