/** The tests that ship in the official client, against our service as a process. */
import { expect, it } from 'vitest';
import { adminOn } from '../../cli/run-admin.ts';
import { testDatabase } from '../support/database.ts';
import { launch, serve, untilReady } from '../support/service-process.ts';

const PRELOAD = 'test/service/clients/point-at-service.cjs';
/** The key in the client's tests. */
const KEY = 'test_7aff7fc0142c65f86a00';
/** The tests send more requests in a second than the defaults let through. */
const LIMITS = { batchPerSecond: 1_000, accountPerSecond: 1_000 };

const database = await testDatabase();

it('passes all 14 tests of the client', async () => {
  const admin = adminOn(database.url);
  await admin.done('account', 'create', '--email', 'owner@company.example', '--credits', '3');
  const owner = ['--email', 'owner@company.example'];
  await admin.done('key', 'create', ...owner, '--kind', 'private', '--mode', 'test', '--key', KEY);
  const { address } = await serve({ database: database.url, limits: LIMITS });
  await untilReady(address);

  const tests = ['--test-reporter', 'tap', 'test/service/clients/run-specs.cjs'];
  const parameters = ['--require', `./${PRELOAD}`, ...tests];
  const specs = launch(process.execPath, parameters, { environment: { SERVICE: address } });
  const code = await specs.exit;
  expect(specs.output().match(/^ *not ok [\s\S]*?^ *\.\.\.$/gm) ?? []).toEqual([]);
  expect(specs.output()).toMatch(/^# pass 14$/m);
  expect(code).toBe(0);
});

it('lets the client connect to nothing but the service', async () => {
  const ask = `require('./.ci/tools/node_modules/axios').get('https://api.emailable.com/v1/').catch(({ message }) => console.log(message))`;
  const node = launch(process.execPath, ['--require', `./${PRELOAD}`, '--eval', ask], {
    environment: { SERVICE: 'http://127.0.0.1:9', HTTPS_PROXY: '', https_proxy: '' },
  });
  await node.exit;
  expect(node.output()).toBe('Expected a connection to the service of the test, got api.emailable.com.\n');
});
