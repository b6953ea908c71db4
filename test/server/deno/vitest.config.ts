/** The tests of `src/server` once more, with the built file in the place of the sources. deno.test.ts runs them. */
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: resolve(import.meta.dirname, '../../..'),
  resolve: {
    alias: [
      { find: /^fast-check$/, replacement: resolve('test/fast-check.ts') },
      { find: /^\.\.\/\.\.\/src\/server\/.+\.ts$/, replacement: resolve('dist/server.js') },
    ],
  },
  test: {
    include: ['test/server/*.test.ts'],
    // It bundles the sources, for a runtime of its own.
    exclude: ['test/server/edge.test.ts'],
    maxWorkers: 1,
    testTimeout: 600_000,
    hookTimeout: 180_000,
    cache: false,
    restoreMocks: true,
    unstubGlobals: true,
  },
});
