// Tests in a real browser. The walk is for every day, the views for the night: two files run side by side there. The file that
// measures times is to be run alone.
import { defineConfig } from 'vitest/config';

const WALK = 'tests/browser/walk.test.ts';
const TIMES = 'tests/browser/scale.test.ts';

const project = (name: string, include: string[], maxWorkers = 1, exclude: string[] = []) => ({
  extends: true as const,
  test: { name, include, exclude, maxWorkers, sequence: { groupOrder: maxWorkers } },
});

export default defineConfig({
  test: {
    environment: 'node',
    // Ends a test that hangs, but not one whose machine is compiling at the same time.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    projects: [
      project('walk', [WALK]),
      project('views', ['tests/browser/**/*.test.ts'], 2, [WALK, TIMES]),
      project('times', [TIMES]),
    ],
  },
});
