/** The states of a key. The database's clock decides, so the tests move the keys through time instead of waiting. */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { readProofKeys } from '../../../src/service/proof/proof-key-store.ts';
import {
  keepProofKeys,
  makeFirstProofKey,
  replaceProofKeys,
  rollProofKey,
} from '../../../src/service/proof/roll-proof-key.ts';
import { emptyBeforeEach, testDatabase } from '../support/database.ts';

const database = await testDatabase();
const { db } = database;
emptyBeforeEach(db, 'proof_keys');

const PROOF_S = 600;
const HOUR_S = 3600;
/** Until every process has read the keys again. */
const SPREAD_S = 2;
const DAY_S = 24 * HOUR_S;

/** Lets so many seconds pass for all keys. */
const passSeconds = (seconds: number) =>
  sql`update proof_keys set made_at = made_at - make_interval(secs => ${seconds}),
    signs_from = signs_from - make_interval(secs => ${seconds})`.execute(db);

const states = async () => (await readProofKeys(db)).map(({ state }) => state);
const kids = async () => (await readProofKeys(db)).map(({ kid }) => kid);

it('makes one first key, however many processes start at once, and it signs at once', async () => {
  const processes = Array.from({ length: 4 }, (_, number) => database.connect(1, `process ${number}`));
  await Promise.all(processes.map((process) => makeFirstProofKey(process, PROOF_S)));
  expect(await states()).toEqual(['signing']);
});

it('publishes the next key for an hour before it signs', async () => {
  await makeFirstProofKey(db, PROOF_S);
  const [first] = await kids();
  const next = await rollProofKey(db, PROOF_S);
  expect(next.state).toBe('waiting');
  expect(next.signs_from.getTime() - next.made_at.getTime()).toBe((HOUR_S + SPREAD_S) * 1000);
  await passSeconds(HOUR_S - 30);
  expect(await states()).toEqual(['signing', 'waiting']);
  await passSeconds(60);
  expect(await states()).toEqual(['retired', 'signing']);
  expect(await kids()).toEqual([first, next.kid]);
});

it('publishes a retired key for an hour after its last proof has ended, and then deletes it', async () => {
  await makeFirstProofKey(db, PROOF_S);
  await passSeconds(DAY_S);
  const next = await rollProofKey(db, PROOF_S);
  await passSeconds(HOUR_S + PROOF_S + HOUR_S - 30);
  expect(await states()).toEqual(['retired', 'signing']);
  await keepProofKeys(db, PROOF_S);
  expect(await states()).toEqual(['retired', 'signing']);
  await passSeconds(60);
  expect(await kids()).toEqual([next.kid]);
  await keepProofKeys(db, PROOF_S);
  expect(await db.selectFrom('proof_keys').select('id').execute()).toEqual([{ id: next.kid }]);
});

it('makes no second key while one waits', async () => {
  await makeFirstProofKey(db, PROOF_S);
  const next = await rollProofKey(db, PROOF_S);
  expect(await rollProofKey(db, PROOF_S)).toMatchObject({ kid: next.kid, state: 'waiting' });
  expect(await states()).toEqual(['signing', 'waiting']);
});

it('makes a first key for whoever rolls before the first start', async () => {
  expect(await rollProofKey(db, PROOF_S)).toMatchObject({ state: 'signing' });
});

it('rolls by itself after 90 days, once in all processes', async () => {
  await makeFirstProofKey(db, PROOF_S);
  await passSeconds(90 * DAY_S - 60);
  await keepProofKeys(db, PROOF_S);
  expect(await states()).toEqual(['signing']);
  await passSeconds(120);
  const processes = Array.from({ length: 3 }, (_, number) => database.connect(1, `keeper ${number}`));
  await Promise.all(processes.map((process) => keepProofKeys(process, PROOF_S)));
  expect(await states()).toEqual(['signing', 'waiting']);
  await passSeconds(HOUR_S + 60);
  expect(await states()).toEqual(['retired', 'signing']);
  await keepProofKeys(db, PROOF_S);
  expect(await states()).toEqual(['retired', 'signing']);
});

it('replaces a leaked key at once, and the one that waits with it', async () => {
  await makeFirstProofKey(db, PROOF_S);
  await passSeconds(DAY_S);
  await rollProofKey(db, PROOF_S);
  const before = await kids();
  const made = await replaceProofKeys(db, PROOF_S);
  expect(await states()).toEqual(['signing']);
  expect(await kids()).toEqual([made.kid]);
  expect(before).not.toContain(made.kid);
});

it('lets a key be read while another one is made', async () => {
  await makeFirstProofKey(db, PROOF_S);
  const other = database.connect(1, 'roller');
  await other.transaction().execute(async (transaction) => {
    await rollProofKey(transaction, PROOF_S);
    expect(await states()).toEqual(['signing']);
  });
  expect(await states()).toEqual(['signing', 'waiting']);
});
