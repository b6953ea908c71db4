import { mutate } from './rules.mjs';

export default mutate(
  'server',
  ['src/server/*.ts', 'src/protocol/policy.ts'],
  ['test/server/*.test.ts', 'test/protocol/policy.test.ts'],
);
