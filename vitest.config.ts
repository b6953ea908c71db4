import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

export default defineConfig({
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
  // As in a page: the components' entries import the widget by its name.
  resolve: { alias: { 'email-verify-widget': new URL('src/widget/index.ts', import.meta.url).pathname } },
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
