import { mutate } from './rules.mjs';

export default mutate(
  'service',
  [
    'src/shared/*.ts',
    'src/sample/*.ts',
    'src/service/access/credential.ts',
    'src/service/captcha/*.ts',
    'src/service/app/command-line.ts',
    'src/service/config/**/*.ts',
    'src/service/core/arguments.ts',
    'src/service/core/failures.ts',
    'src/service/core/json.ts',
    'src/service/keys/config-keys.ts',
    'src/service/keys/trusted-*.ts',
    'src/service/limits/unique-per-day.ts',
    'src/service/core/log.ts',
    'src/service/verify/verify-parameters.ts',
    'src/service/verify/verify-schema.ts',
  ],
  // Those that are a rule's own. Whole requests try the rules as well, but start a service for every mutant. What needs
  // a database is left out too.
  [
    'test/shared/*.test.ts',
    'test/sample/*.test.ts',
    'test/service/access/credential.test.ts',
    'test/service/captcha/*.test.ts',
    'test/service/app/command-line.test.ts',
    'test/service/config/**/*.test.ts',
    'test/service/core/failures.test.ts',
    'test/service/core/json.test.ts',
    'test/service/keys/config-keys.test.ts',
    'test/service/keys/trusted-*.test.ts',
    'test/service/limits/unique-per-day.test.ts',
    'test/service/core/log.test.ts',
    'test/service/verify/verify-parameters.test.ts',
  ],
);
