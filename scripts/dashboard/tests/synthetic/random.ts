// Seeded random numbers, so that the same seed always writes the same history (mulberry32; T. Ettinger).

export type Random = () => number;

export function random(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** About normal, mean 0, deviation 1: the sum of four uniform draws, scaled. */
export function normal(next: Random): number {
  return (next() + next() + next() + next() - 2) * Math.sqrt(3);
}
