import { mutate } from './rules.mjs';

export default mutate(
  'service',
  [
    'src/service/{address,attributes,keys,limits,sample}/*.ts',
    'src/service/captcha/*.ts',
    'src/service/{config,command-line,json,failures,log}.ts',
    'src/service/verify/{parameters,schema}.ts',
  ],
  ['test/service/**/*.test.ts'],
);
