import { describe, expect, it } from 'vitest';
import { history } from '../synthetic/generate';

describe('the synthetic history', () => {
  it('is the same for the same seed, and another for another', () => {
    const once = (seed: number) => JSON.stringify([...history({ weeks: 2, lanes: 1, seed })]);
    const first = once(3);
    expect(once(3)).toBe(first);
    expect(once(4)).not.toBe(first);
  });
});
