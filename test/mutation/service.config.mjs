import { mutate } from './rules.mjs';

export default mutate(
  'service',
  [
    'src/network/*.ts',
    'src/sample/*.ts',
    'src/service/access/credential.ts',
    'src/service/captcha/*.ts',
    'src/service/command-line.ts',
    'src/service/config/*.ts',
    'src/service/failures.ts',
    'src/service/json.ts',
    'src/service/keys/config-keys.ts',
    'src/service/keys/trusted-*.ts',
    'src/service/limits/unique-per-day.ts',
    'src/service/log.ts',
    'src/service/verify/parameters.ts',
    'src/service/verify/schema.ts',
  ],
  // Those that are a rule's own. Whole requests try the rules as well, but start a service for every mutant. What needs
  // a database is left out too.
  [
    'test/network/*.test.ts',
    'test/sample/*.test.ts',
    'test/service/access/credential.test.ts',
    'test/service/captcha/*.test.ts',
    'test/service/command-line.test.ts',
    'test/service/config/*.test.ts',
    'test/service/failures.test.ts',
    'test/service/json.test.ts',
    'test/service/keys/config-keys.test.ts',
    'test/service/keys/trusted-*.test.ts',
    'test/service/limits/unique-per-day.test.ts',
    'test/service/log.test.ts',
    'test/service/verify/parameters.test.ts',
  ],
);
