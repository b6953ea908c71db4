import { mutate } from './rules.mjs';

export default mutate(
  'engine',
  [
    'src/engine/address/*.ts',
    'src/engine/dns/mail-host*.ts',
    'src/engine/doctor/*.ts',
    'src/engine/domains/*.ts',
    'src/engine/facts/*.ts',
    'src/engine/pacing/pace.ts',
    'src/engine/providers.ts',
    'src/engine/replies/*.ts',
    'src/engine/smtp/impossible.ts',
    'src/engine/smtp/reply-stream.ts',
    'src/engine/verdict.ts',
  ],
  // Those that are a rule's own. Whole conversations try the rules as well, but wait for servers with every mutant.
  [
    'test/engine/providers.test.ts',
    'test/engine/verdict.test.ts',
    'test/engine/address/*.test.ts',
    'test/engine/dns/mail-host*.test.ts',
    'test/engine/doctor/*.test.ts',
    'test/engine/domains/*.test.ts',
    'test/engine/facts/*.test.ts',
    'test/engine/pacing/*.test.ts',
    'test/engine/replies/*.test.ts',
    'test/engine/smtp/impossible.test.ts',
    'test/engine/smtp/reply-stream.test.ts',
  ],
);
