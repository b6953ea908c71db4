import { mutate } from './rules.mjs';

export default mutate(
  'widget',
  [
    'src/protocol/*.ts',
    'src/widget/check/*.ts',
    'src/widget/field-state.ts',
    'src/widget/options.ts',
    'src/widget/commands.ts',
  ],
  ['test/protocol/**/*.test.ts', 'test/widget/**/*.test.ts'],
);
