import { mergeConfig } from 'vitest/config';
import project from '../../vitest.config.ts';

/**
 * Without the tests that build, pack or start something, or try thousands of texts: no rule is proved by them alone, and
 * each mutant would.
 */
export default mergeConfig(project, {
  test: {
    exclude: [
      'test/widget/{day,package,server,main}.test.ts',
      'test/service/main.test.ts',
      'test/engine/replies/hostile.test.ts',
      'test/**/*fuzz*',
      'test/**/sequences*',
    ],
  },
});
