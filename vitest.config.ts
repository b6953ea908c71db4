import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // As in the build, too.
  define: { VERSION: JSON.stringify('0.0.0') },
  plugins: [
    {
      // As in the build: an imported style sheet is its text.
      name: 'css-text',
      enforce: 'pre',
      load(id) {
        if (id.endsWith('.css')) return `export default ${JSON.stringify(readFileSync(id, 'utf8'))}`;
        return null;
      },
    },
  ],
  // What tests import by the package's own name is the sources.
  resolve: {
    alias: [
      { find: /^email-verify-widget$/, replacement: resolve('src/widget/index.ts') },
      { find: /^email-verify-widget\/(testing|debug)$/, replacement: resolve('src/$1/index.ts') },
      { find: /^email-verify-widget\/testing\/(\w+)$/, replacement: resolve('src/testing/$1.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    restoreMocks: true,
    unstubGlobals: true,
    // What the browser tests cover as well is not in the figures.
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['src/locales/*.ts', '**/*.d.ts'],
      reporter: ['text'],
      reportsDirectory: 'test-results/coverage',
    },
  },
});
