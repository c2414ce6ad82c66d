import { describe, expect, it } from 'vitest';
import { history } from '../synthetic/generate';

describe('the synthetic history', () => {
  it('is the same for the same seed, and another for another', () => {
    const once = (seed: number) => JSON.stringify([...history({ weeks: 6, lanes: 1, seed })]);
    expect(once(3)).toBe(once(3));
    expect(once(3)).not.toBe(once(4));
  });
});
