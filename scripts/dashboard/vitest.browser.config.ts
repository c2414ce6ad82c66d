// Tests in a real browser. Two files run side by side; the file that measures times is a project of its own, to be run alone.
import { defineConfig } from 'vitest/config';

const TIMED = 'tests/browser/scale.test.ts';

export default defineConfig({
  test: {
    environment: 'node',
    // A test that hangs ends, but not one whose machine compiles beside it.
    testTimeout: 300_000,
    hookTimeout: 300_000,
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
