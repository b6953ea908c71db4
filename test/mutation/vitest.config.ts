import { mergeConfig } from 'vitest/config';
import configure from '../../vitest.config.ts';

const { test: settings, ...config } = configure({ command: 'serve', mode: 'test' });
// Stryker runs all files in one way.
const { projects: _, ...test } = settings ?? {};

/**
 * Without the tests that build, pack or start something, or try thousands of texts: no rule is proved by them alone, and
 * each mutant would.
 */
export default mergeConfig(
  { ...config, test },
  {
    test: {
      globalSetup: ['test/service/support/global-setup.ts'],
      include: ['test/**/*.test.ts'],
      exclude: [
        'test/widget/{built,day,package,server,main}.test.ts',
        'test/service/app/main.test.ts',
        'test/engine/replies/hostile.test.ts',
        'test/**/*fuzz*',
        'test/**/sequences*',
      ],
    },
  },
);
