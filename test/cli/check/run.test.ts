/** What `check` refuses, without a process. */
import { expect, it } from 'vitest';
import { runCheck } from '../../../src/cli/check/run.ts';
import { UsageError } from '../../../src/service/core/usage-error.ts';
import { failureOf } from '../../message-of.ts';

async function refusalOf(parameters: readonly string[], config: unknown): Promise<string> {
  const printed: string[] = [];
  const print = (text: string) => void printed.push(text);
  const readFile = () => JSON.stringify(config);
  const error = await failureOf(runCheck(parameters, { environment: {}, readFile, print, say: print }));
  expect(error).toBeInstanceOf(UsageError);
  expect(printed).toEqual([]);
  return (error as UsageError).message;
}

const GOOD = { helo: 'verify.example', mailFrom: '' };

it.each<[object, string]>([
  [{}, 'helo'],
  [{ helo: 'verify.example' }, 'mailFrom'],
  [{ ...GOOD, helo: 'two words' }, 'helo'],
  [{ ...GOOD, mailFrom: 'nobody' }, 'mailFrom'],
  [{ ...GOOD, colour: 'red' }, 'colour'],
  [{ ...GOOD, smtpPort: 0 }, 'smtpPort'],
  [{ ...GOOD, dns: ['nowhere'] }, 'dns'],
  [{ ...GOOD, dns: '127.0.0.1' }, 'dns'],
  [{ ...GOOD, perHost: { connections: 101 } }, 'connections'],
  [{ ...GOOD, perHost: { perMinute: 1_000_001 } }, 'perMinute'],
  [{ ...GOOD, perHost: { recipientsPerConnection: 101 } }, 'recipientsPerConnection'],
  [{ ...GOOD, perHost: { recipientsPerConnection: 0 } }, 'recipientsPerConnection'],
  [{ ...GOOD, perHost: { speed: 1 } }, 'speed'],
  [{ ...GOOD, greylistRetries: 'often' }, 'greylistRetries'],
  [{ ...GOOD, localAddresses: ['here'] }, 'localAddresses'],
  [{ ...GOOD, allowPrivateAddresses: 'yes' }, 'allowPrivateAddresses'],
  [{ ...GOOD, listsFolder: 5 }, 'listsFolder'],
])('names the fault in "live": %j', async (live, named) => {
  expect(await refusalOf(['a@b.test', '--config', 'c.json'], { live })).toContain(named);
});

it.each(['-1', '2.5', '1', '11', '0x5', 'five', '5s', ' 5', '٥'])('refuses --timeout %j', async (timeout) => {
  expect(await refusalOf(['a@b.test', `--timeout=${timeout}`], {})).toContain('--timeout');
});

it.each(['a@b.test\n', 'a@b.test,fine\n', 'email,state\n', ''])('refuses %j as --expected', async (text) => {
  const readFile = (path: string) => (path === 'known.csv' ? text : JSON.stringify({ live: GOOD }));
  const silent = { environment: {}, readFile, print: () => {}, say: () => {} };
  const run = runCheck(['--expected', 'known.csv', '--config', 'c.json'], silent);
  await expect(run).rejects.toThrow('--expected');
});
