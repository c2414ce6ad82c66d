// Instructions of a request by release: each against the oldest, at the day of its publication. What was published after a higher version
// stands beside the line, and so does CPU time that was measured in turns.

import type { InTurns } from '../data/generated/published';
import { pointsOf, type ReleasePoint, stepsOf, type TurnsPoint, turnsOf } from '../data/releases';
import { shortTitle } from '../data/scenarios';
import type { CrateReleases } from '../data/types';
import { s } from '../ui/dom';
import { day, number, percent, tick as tickText } from '../ui/format';
import { area, type Place, point, straight } from './area';
import type { Stroke } from './palette';
import { scaleOf } from './scale';

/** Room outside the outermost points, in per cent. */
const ROOM = 6;
/** A narrower axis would make much of nothing: per cent on both sides. */
const NARROWEST = 1;
/** Months between two dates of the axis, and how many dates it has. */
const MONTHS = [1, 2, 3, 6, 12, 24, 60];
const MOST_DATES = 5;
const DAY = 86_400_000;

export function releasesChart(one: CrateReleases, strokes: Stroke[], label: string): HTMLElement {
  const lines = one.scenarios.map((_, scenario) => pointsOf(one, scenario));
  const turns = one.scenarios.map((_, scenario) => turnsOf(one, scenario));
  const times = lines.flat().map(({ at }) => at);
  const [from, to] = [Math.min(...times), Math.max(...times)];
  const x = (at: number) => ROOM + ((at - from) / (to - from || DAY)) * (100 - 2 * ROOM);
  const ends = turns.flat().flatMap(({ low, high }) => [low, high]);
  const shares = [...lines.flat().map(({ change }) => change), ...ends];
  const scale = scaleOf([-NARROWEST, NARROWEST, ...shares.map(share => 100 * share)]);
  const y = (percent: number) => 100 - scale.percent(percent);
  const end = ({ at, change }: ReleasePoint): Place => [x(at), y(100 * change)];
  const curve = (points: ReleasePoint[], scenario: number) => {
    const { colour, dash } = strokes[scenario] as Stroke;
    const joined = points.filter(({ release }) => !release.backport);
    return s(
      'g',
      { class: 'curve' },
      joined.slice(1).map((to, before) => straight('step', end(joined[before] as ReleasePoint), end(to), colour, dash)),
      points.map(each => {
        const { release, counts } = each;
        const steps = stepsOf(release).map(([at]) => at);
        const change = counts.change == null ? '' : ` (${percent(counts.change)})`;
        const what = `${one.crate} ${release.release.version}, ${day(each.at)}: ${number(counts.instructions)} instructions${change} in ${shortTitle(one.scenarios[scenario])}`;
        const [left, top] = end(each);
        const anchor = left < 15 ? 'start' : left > 85 ? 'end' : 'middle';
        return [
          point([left, top], colour, what, steps.includes(scenario) ? 'stepped' : null),
          steps[0] === scenario &&
            s('text', { x: `${left}%`, y: `${top}%`, dy: -10, 'text-anchor': anchor }, release.release.version),
        ];
      }),
    );
  };
  const bar = ({ found, at, change, low, high }: TurnsPoint) => {
    const { colour } = strokes[found.scenario] as Stroke;
    const end = (share: number): Place => [x(at), y(100 * share)];
    return s(
      'g',
      { class: 'in-turns' },
      straight('interval', end(low), end(high), colour),
      point(end(change), colour, turnsText(one, found)),
    );
  };
  return area(
    label,
    '%',
    scale.ticks.map(tick => [`${tick > 0 ? '+' : ''}${tickText(tick).replace('-', '−')}`, y(tick)]),
    datesOf(from, to).map(([text, at]) => [text, x(at)]),
    [...lines.map(curve), ...turns.flat().map(bar)],
  );
}

/** `0.4.2 → 0.4.3: CPU time in Plaintext −0.3 % (−1.3 % to +0.9 %)` */
export const turnsText = (
  { releases, scenarios }: CrateReleases,
  { from, to, scenario, change, interval }: InTurns,
): string => {
  const [before, now] = [from, to].map(place => releases[place]?.release.version);
  const ends = `${percent(interval.low)} to ${percent(interval.high)}`;
  return `${before} → ${now}: CPU time in ${shortTitle(scenarios[scenario])} ${percent(change)} (${ends})`;
};

/** First days of months between these, or, where there are not two, these themselves. */
function datesOf(from: number, to: number): [string, number][] {
  const monthOf = (ms: number) => new Date(ms).getUTCFullYear() * 12 + new Date(ms).getUTCMonth();
  const [first, last] = [monthOf(from) + 1, monthOf(to)];
  const every = MONTHS.find(months => (last - first) / months < MOST_DATES) ?? 120;
  const dates = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at)
    .filter(month => month % every === 0)
    .map((month): [string, number] => {
      const at = Date.UTC(Math.floor(month / 12), month % 12);
      return [day(at).replace('1 ', ''), at];
    });
  return dates.length > 1 ? dates : [...new Set([from, to])].map(at => [day(at), at]);
}
