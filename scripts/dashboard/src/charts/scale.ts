// Axes: from figures to per cent of a width, linear or logarithmic, with round ticks.

export interface Scale {
  logarithmic: boolean;
  ticks: number[];
  /** Place of a value, 0 to 100. */
  percent(value: number): number;
}

/** Powers of ten that have room on an axis. */
const MOST_POWERS = 8;
/** From this ratio of largest to smallest on, a linear axis would press most of the figures into a corner. */
const LOGARITHMIC_FROM = 3;

export function scaleOf(values: number[], wantedTicks = 5): Scale {
  const finite = values.filter(Number.isFinite);
  const smallest = finite.length > 0 ? Math.min(...finite) : 0;
  const largest = finite.length > 0 ? Math.max(...finite) : 1;
  return smallest > 0 && largest / smallest > LOGARITHMIC_FROM
    ? logarithmic(smallest, largest)
    : linear(smallest, largest, wantedTicks);
}

/** How many times the spread of the middle half a figure may lie beyond it and still be on the scale. */
const REACH = 4;

/** A scale that holds most rows: who lies far beyond the middle half of them is left out, if that gives the others room. */
export function within<T>(rows: T[], ends: (row: T) => number[], also: number[] = []): Scale {
  const middles = rows.flatMap(row => ends(row)[0] ?? []).sort((a, b) => a - b);
  const at = (share: number) => middles[Math.round(share * (middles.length - 1))] ?? 0;
  const [low, high] = [at(0.25), at(0.75)];
  const reach = REACH * Math.max(high - low, 0.02 * high);
  const kept = rows.filter(row =>
    ends(row)
      .slice(0, 1)
      .every(middle => middle >= low - reach && middle <= high + reach),
  );
  return scaleOf([...kept.flatMap(ends), ...also]);
}

function linear(smallest: number, largest: number, wanted: number): Scale {
  const room = largest > smallest ? (largest - smallest) * 0.06 : Math.max(Math.abs(largest) * 0.1, 1e-9);
  const from = smallest >= 0 ? Math.max(0, smallest - room) : smallest - room;
  const to = largest + room;
  const step = roundStep((to - from) / wanted);
  const ticks: number[] = [];
  // Without the sign of a zero.
  for (let tick = Math.ceil(from / step) * step; tick <= to && ticks.length < 20; tick += step) ticks.push(tick + 0);
  return { logarithmic: false, ticks, percent: value => ((value - from) / (to - from)) * 100 };
}

/** Logarithmic, whatever the figures: for what spans powers of ten by its nature. */
export function logarithmic(smallest: number, largest: number): Scale {
  const from = Math.log10(smallest) - 0.04;
  const to = Math.log10(largest) + 0.04;
  const ticks: number[] = [];
  const mantissas = to - from > 2.2 ? [1] : to - from > 1 ? [1, 2, 5] : [1, 1.5, 2, 3, 5, 7];
  const step = Math.max(1, Math.ceil((to - from) / MOST_POWERS));
  for (let power = Math.floor(from); power <= to; power += step) {
    for (const mantissa of mantissas) {
      const tick = mantissa * 10 ** power;
      if (Math.log10(tick) >= from && Math.log10(tick) <= to) ticks.push(tick);
    }
  }
  return {
    logarithmic: true,
    ticks,
    percent: value => (value > 0 ? ((Math.log10(value) - from) / (to - from)) * 100 : 0),
  };
}

/** 1, 2 or 5 times a power of ten. */
export function roundStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const share = rough / power;
  return (share <= 1 ? 1 : share <= 2 ? 2 : share <= 5 ? 5 : 10) * power;
}
