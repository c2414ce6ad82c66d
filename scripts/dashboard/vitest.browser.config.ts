// Tests in a real browser. Two files run side by side, and of a file that says so two tests: they wait for half a second after each
// page, in case it loads more. The file that measures times is a project of its own, to be run alone.
import { defineConfig } from 'vitest/config';

const TIMED = 'tests/browser/scale.test.ts';

export default defineConfig({
  test: {
    environment: 'node',
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxConcurrency: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'views',
          include: ['tests/browser/**/*.test.ts'],
          exclude: [TIMED],
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: { name: 'times', include: [TIMED], maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
