/** Several processes on one database. Each has a clock that the test turns. */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { carrying, createSecrets } from '../../../src/service/database/secrets.ts';
import { readProofKeys } from '../../../src/service/proof/proof-key-store.ts';
import { replaceProofKeys, rollProofKey } from '../../../src/service/proof/roll-proof-key.ts';
import { createStoredProofKeys } from '../../../src/service/proof/stored-proof-keys.ts';
import { emptyBeforeEach, testDatabase } from '../support/database.ts';
import { runService } from '../support/running-service.ts';

const database = await testDatabase();
const { db } = database;
emptyBeforeEach(db, 'proof_keys');

const PROOF_S = 600;

function startProcess(seconds = PROOF_S, connection = database.connect(2)) {
  const clock = { now: 0 };
  const keys = createStoredProofKeys(connection, seconds, () => clock.now);
  return Object.assign(clock, {
    signs: async () => (await keys.current()).signing.kid,
    publishes: async () => (await keys.current()).published.map(({ kid }) => kid),
  });
}

/** Lets so many minutes pass for all keys. */
const passMinutes = (minutes: number) =>
  sql`update proof_keys set made_at = made_at - make_interval(mins => ${minutes}),
    signs_from = signs_from - make_interval(mins => ${minutes})`.execute(db);

it('gives all processes the same keys, and the first one that needs a key makes it', async () => {
  const [one, other] = [startProcess(), startProcess()];
  const [kid, same] = await Promise.all([one.signs(), other.signs()]);
  expect(same).toBe(kid);
  expect(await one.publishes()).toEqual([kid]);
  expect(await startProcess().signs()).toBe(kid);
});

it('signs with the new key within 3 seconds after a leak, and publishes the old one no longer', async () => {
  const [one, other] = [startProcess(), startProcess()];
  await Promise.all([one.signs(), other.signs()]);
  const { kid } = await replaceProofKeys(db, PROOF_S);
  for (const process of [one, other]) {
    process.now += 1000;
    expect(await process.signs()).toBe(kid);
    expect(await process.publishes()).toEqual([kid]);
  }
});

it('publishes the next key in every process before it signs anywhere', async () => {
  const [one, other] = [startProcess(), startProcess()];
  const first = await one.signs();
  const { kid } = await rollProofKey(db, PROOF_S);
  for (const process of [one, other]) {
    process.now += 1000;
    expect(await process.publishes()).toEqual([first, kid]);
    expect(await process.signs()).toBe(first);
  }
  await passMinutes(61);
  for (const process of [one, other]) {
    process.now += 1000;
    expect(await process.signs()).toBe(kid);
    expect(await process.publishes()).toEqual([first, kid]);
  }
});

it('asks the database once in a second, and not for every proof', async () => {
  const process = startProcess();
  await process.signs();
  await db.deleteFrom('proof_keys').execute();
  process.now += 999;
  const kid = await process.signs();
  process.now += 1;
  expect(await process.signs()).not.toBe(kid);
});

it('publishes a key for as long as the longest proof of any process', async () => {
  await startProcess(60).signs();
  await startProcess(7200).signs();
  await startProcess(60).signs();
  expect(await readProofKeys(db)).toMatchObject([{ proof_seconds: 7200 }]);
});

it('still signs after the clock of the database was set back', async () => {
  const process = startProcess();
  const kid = await process.signs();
  await passMinutes(-24 * 60);
  process.now += 1000;
  expect(await process.signs()).toBe(kid);
});

it('keeps the private part sealed, if there is a file of keys', async () => {
  const sealing = db.withPlugin(carrying(createSecrets([Buffer.alloc(32, 7)]))[0]!);
  const process = startProcess(PROOF_S, sealing);
  const kid = await process.signs();
  const [row] = await db.selectFrom('proof_keys').selectAll().execute();
  const sealed_private_key = expect.stringMatching(/^[0-9a-f]{16}\./);
  expect(row).toMatchObject({ id: kid, private_key: null, sealed_private_key });
  // Another process with the file opens it. One without cannot, and does not sign.
  expect(await startProcess(PROOF_S, sealing).signs()).toBe(kid);
  await expect(startProcess().signs()).rejects.toMatchObject({ code: 'SECRETS_KEY_MISSING' });
});

it('makes the first key at the start, before any request', async () => {
  await runService(database.url).opened.ready;
  expect(await readProofKeys(db)).toMatchObject([{ state: 'signing' }]);
});

const NAMES_DIFFER = 'Unless they are workers, each signs proofs with the URL that it listens on';

async function startService(publicUrl?: string, { url } = database): Promise<string> {
  const service = runService(url, { publicUrl });
  await service.opened.ready;
  return service.logged.join();
}

it('warns at the start that other processes would sign with different names, unless they are workers', async () => {
  expect(await startService()).not.toContain(NAMES_DIFFER);
  expect(await startService('https://verify.example')).not.toContain(NAMES_DIFFER);
  expect(await startService()).toContain(NAMES_DIFFER);
});

it('warns of different names also if the processes start at once', async () => {
  const fresh = await testDatabase();
  const start = () => startService(undefined, fresh);
  const logs = await Promise.all([start(), start()]);
  expect(logs.join()).toContain(NAMES_DIFFER);
});
