// Logic in `tests/unit`; in `tests/page` the whole page in a document without a browser.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['tests/{unit,page}/**/*.test.ts'],
    environment: 'node',
    // A test that hangs ends, but not one whose machine compiles beside it.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
