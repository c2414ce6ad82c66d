// Logic in `tests/unit`; in `tests/page` the whole page in a document without a browser.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['tests/{unit,page}/**/*.test.ts'],
    environment: 'node',
    // Ends a test that hangs, but not one whose machine is compiling at the same time.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
