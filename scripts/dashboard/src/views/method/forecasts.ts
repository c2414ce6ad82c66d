// Each run as a forecast of the next: how many of its intervals held.
import type { Forecast } from '../../data/types';
import { day, plural } from '../../ui/format';
import { faint, titled } from '../../ui/parts';
import { table } from '../../ui/table';

const PROMISED = [50, 80, 95];

const share = ({ held, ratios }: Pick<Forecast, 'held' | 'ratios'>, which: number): string =>
  `${ratios === 0 ? 0 : Math.round((100 * (held[which] ?? 0)) / ratios)} %`;

/** All of them together; nothing where no run was forecast. */
function together(all: Forecast[]): Omit<Forecast, 'from' | 'to' | 'at' | 'sessions'> | null {
  const sum = (of: (each: Forecast) => number) => all.reduce((total, each) => total + of(each), 0);
  const held = PROMISED.map((_, which) => sum(each => each.held[which] ?? 0)) as [number, number, number];
  const [pairs, confirmed] = [sum(each => each.pairs), sum(each => each.confirmed)];
  return all.length === 0
    ? null
    : { ratios: sum(each => each.ratios), held, pairs, confirmed, reversed: sum(each => each.reversed) };
}

export function forecasts(all: Forecast[]): HTMLElement {
  const sums = together(all);
  const rows = all.map(each => ({ ...each, run: day(Date.parse(each.at)), sessions: `${each.sessions}` }));
  return titled(
    'Figures: each run is a forecast of the next',
    sums === null
      ? faint('No run on this machine has a run of the same kind before it yet.')
      : table(
          'Each run, as the run before it forecast it',
          [
            { label: 'Run', cell: row => row.run },
            { label: 'Sessions behind the intervals', figure: true, cell: row => row.sessions },
            { label: 'Ratios', figure: true, cell: row => `${row.ratios}` },
            ...PROMISED.map((promised, which) => ({
              label: `Held, of ${promised} %`,
              figure: true,
              cell: (row: (typeof rows)[number]) => share(row, which),
            })),
            { label: 'Pairs confirmed', figure: true, cell: row => `${row.confirmed} of ${row.pairs}` },
            { label: 'Reversed', figure: true, cell: row => `${row.reversed}` },
          ],
          [...rows, { ...(rows[0] as (typeof rows)[number]), ...sums, run: 'All', sessions: '' }],
        ),
  );
}

/** What the intervals promised and what came, why, and what to do with it. */
export function inShort(all: Forecast[]): string {
  const sums = together(all);
  if (sums === null) return 'No run could be held against a later one so far.';
  const { ratios, held, pairs, confirmed, reversed } = sums;
  const why =
    held[2] >= 0.95 * ratios
      ? ''
      : ' That is less than they promise: an interval knows the sessions that it was made from, and not other days, nor the other kind of cpu that the next run may get.';
  return `Each run is a forecast of the next: ${share(sums, 2)} of ${plural(ratios, 'ratio')} lay in their 95 % intervals.${why} So trust the order, and not the last percent: of ${plural(pairs, 'pair')} that were told apart, ${confirmed.toLocaleString('en')} were confirmed, and ${reversed.toLocaleString('en')} came in reverse.`;
}
