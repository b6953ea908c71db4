import { mutate } from './rules.mjs';

export default mutate(
  'service',
  [
    'src/service/{address,attributes,keys,limits,sample}/*.ts',
    'src/service/captcha/*.ts',
    'src/service/{config,config-warnings,command-line,json,failures,log}.ts',
    'src/service/verify/{parameters,schema}.ts',
  ],
  // Those that are a rule's own. Whole requests try the rules as well, but start a service for every mutant.
  [
    'test/service/{address,attributes,captcha,keys,limits,sample}/*.test.ts',
    'test/service/{config,config-warnings,command-line,json,failures,log}.test.ts',
    'test/service/verify/parameters.test.ts',
  ],
);
