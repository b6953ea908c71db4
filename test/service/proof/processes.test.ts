/** Proofs of the built service: two processes on one database, one that is killed, and one without a database. */
import { readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openProofKey, readProofKeys } from '../../../src/service/proof/proof-key-store.ts';
import { replaceProofKeys } from '../../../src/service/proof/roll-proof-key.ts';
import { makeAccount } from '../support/account.ts';
import { testDatabase } from '../support/database.ts';
import { PATIENTLY } from '../support/patience.ts';
import {
  type ListeningProcess,
  listening,
  MAIN,
  runToEnd,
  serve,
  untilReady,
  writeConfig,
} from '../support/service-process.ts';
import { storeKey } from '../support/stored-service.ts';

const SHOP = 'https://shop.example';
const EMAIL = 'jane@company.example';

/** Asks as a page does. A service whose database does not give the keys in time gives no proof. */
const proofFrom = ({ address }: Pick<ListeningProcess, 'address'>, key: string): Promise<string> =>
  vi.waitUntil(async () => {
    const query = new URLSearchParams({ api_key: key, email: EMAIL });
    const answer = await fetch(`${address}/v1/verify?${query}`, { headers: { origin: SHOP } });
    expect(answer.status).toBe(200);
    return answer.headers.get('email-verify-proof');
  });

/** Checks as a page's server does that starts now, so it fetches the keys. */
async function check({ address }: Pick<ListeningProcess, 'address'>, proof: string, issuer: string) {
  const keys = createRemoteJWKSet(new URL(`${address}/.well-known/jwks.json`));
  const expected = { algorithms: ['ES256'], typ: 'email-verify-proof+jwt', audience: SHOP, issuer };
  return (await jwtVerify(proof, keys, expected)).payload;
}

it('keeps its keys when a process is killed, and never logs them', async () => {
  const database = await testDatabase(onTestFinished);
  const { key } = await storeKey(database.db, await makeAccount(database.db), { kind: 'public' });
  const publicUrl = 'https://verify.example';
  const config = { keys: [], database: database.url, publicUrl };
  const [one, other] = await Promise.all([serve(config), serve(config)]);
  await Promise.all([untilReady(one.address), untilReady(other.address)]);
  const before = await proofFrom(one, key);
  one.child.kill('SIGKILL');
  await one.exit;
  expect(await check(other, before, publicUrl)).toMatchObject({ email: EMAIL, test: true });

  const again = await serve(config);
  await untilReady(again.address);
  const after = await proofFrom(again, key);
  expect(decodeProtectedHeader(after).kid).toBe(decodeProtectedHeader(before).kid);

  const [stored] = await readProofKeys(database.db);
  const { d } = openProofKey(database.db, stored!);
  const { kid } = await replaceProofKeys(database.db, 600);
  for (const process of [again, other]) {
    const signs = async () => decodeProtectedHeader(await proofFrom(process, key)).kid;
    await expect.poll(signs, PATIENTLY).toBe(kid);
    // The leaked key is published no longer.
    const checking = check(process, after, publicUrl);
    await expect(checking).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' });
  }
  const logs = [one, other, again].map(({ errors, output }) => errors() + output()).join('');
  expect(logs).toContain('"event":"request"');
  for (const secret of [d, before, after, EMAIL]) expect(logs).not.toContain(secret);
  for (const { child, exit } of [again, other]) {
    child.kill('SIGTERM');
    await exit;
  }
});

const KEYS = [{ key: 'test_public', kind: 'public', trustedDomains: ['shop.example'] }];
const LINE = (text: string) => text.split('\n').filter((line) => line !== '');

it('keeps the key of a service without a database beside its config', async () => {
  const config = writeConfig({ keys: KEYS });
  const file = join(dirname(config), 'proof-key.json');
  rmSync(file, { force: true });
  const start = () => listening(process.execPath, [MAIN, '--config', config, '--port', '0']);
  const one = await start();
  const proof = await proofFrom(one, 'test_public');
  expect(await check(one, proof, one.address)).toMatchObject({ iss: one.address });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  one.child.kill('SIGKILL');
  await one.exit;
  const again = await start();
  expect(await check(again, proof, one.address)).toMatchObject({ email: EMAIL });
  expect(again.errors()).not.toContain(JSON.parse(readFileSync(file, 'utf8')).d);
  rmSync(file);
});

it('says in one sentence that it cannot keep its key where the config wants it', async () => {
  const config = writeConfig({ keys: KEYS, proofKeyFile: '/proc/none/proof-key.json' });
  const { status, stdout, stderr } = await runToEnd(['--config', config, '--port', '0']);
  expect([status, stdout]).toEqual([2, '']);
  expect(LINE(stderr)).toEqual([expect.stringMatching(/^Expected proofKeyFile to be a file in a folder /)]);
});
