import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { readServerClock } from '../../../src/service/database/database-clock.ts';
import { deleteAccount } from '../../../src/service/deletion/delete-account.ts';
import * as keys from '../../../src/service/keys/key-store.ts';
import { makeKeyValue } from '../../../src/service/keys/key-value.ts';
import { setAccountLimits } from '../../../src/service/people/accounts/account-store.ts';
import { digestOf } from '../../../src/shared/sha256.ts';
import { makeAccount } from '../support/account.ts';
import { untilBlocked } from '../support/blocked.ts';
import { testDatabase } from '../support/database.ts';

const { db } = await testDatabase();

const NOW = new Date('2030-01-01T12:00:00Z');
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

const accountId = await makeAccount(db);

function newKey(options: Partial<keys.NewKey> = {}): keys.NewKey {
  const noCaptcha = { captcha_provider: null, captcha_secret: null, siteverify_url: null };
  return { account_id: accountId, kind: 'private', mode: 'live', name: null, ...noCaptcha, ...options };
}

const find = (value: string, now = NOW) => keys.findByDigest(db, digestOf(value), now);

it('makes keys of 32 characters after the mode', () => {
  expect(makeKeyValue('live')).toMatch(/^live_[A-Za-z0-9]{32}$/);
  expect(makeKeyValue('test')).toMatch(/^test_[A-Za-z0-9]{32}$/);
  expect(new Set(Array.from({ length: 100 }, () => makeKeyValue('test'))).size).toBe(100);
});

it('finds a key by its value, with the limits of its account', async () => {
  const turnstile = { captcha_provider: 'turnstile', captcha_secret: 's' } as const;
  const captcha = { ...turnstile, siteverify_url: 'http://x/' };
  const hosts = { trusted_domains: ['example.com'], trusted_ips: ['::1'] };
  const made = await keys.createKey(db, newKey({ kind: 'public', name: 'Shop', ...captcha, ...hosts }));
  await setAccountLimits(db, accountId, { verify_per_second: 7 });
  const { key, last4, ...row } = made;
  expect(row.id).toMatch(/^key_[0-9a-f]{24}$/);
  expect(last4).toBe(key.slice(-4));
  const noOthers = { batch_per_second: null, account_per_second: null, batch_size: null };
  expect(await find(key)).toEqual({
    key: { ...row, kind: 'public', mode: 'live', name: 'Shop', revoked_at: null, ...captcha, ...hosts },
    last4,
    account: { id: accountId, verify_per_second: 7, ...noOthers },
  });
  expect(await find(`${key}x`)).toBeUndefined();
});

it('stores no value of a key', async () => {
  const { key } = await keys.createKey(db, newKey());
  const { rows } = await sql<{ text: string }>`
    select keys::text || key_values::text as text from keys join key_values on key_id = keys.id
  `.execute(db);
  const stored = rows.map(({ text }) => text).join();
  expect(stored).toContain(digestOf(key).toString('hex'));
  expect(stored).not.toContain(key.slice(5));
  expect(stored).not.toContain(Buffer.from(key).toString('hex'));
});

it('imports a value once, also when several imports come at once', async () => {
  const attempts = [1, 2, 3, 4].map(() => keys.importKey(db, newKey(), 'live_imported'));
  const results = await Promise.all(attempts);
  expect(results.filter((result) => result === 'exists')).toHaveLength(3);
  const imported = results.find((result) => result !== 'exists');
  expect(imported).toMatchObject({ key: 'live_imported', last4: 'rted' });
  expect(await keys.importKey(db, newKey(), 'live_imported')).toBe('exists');
  const { rows } = await sql`select from keys where id not in (select key_id from key_values)`.execute(db);
  expect(rows).toEqual([]);
});

it('waits for another import of the same value, and then refuses its own', async () => {
  const other = await db.startTransaction().execute();
  await keys.importKey(other, newKey(), 'live_contested');
  const second = keys.importKey(db, newKey(), 'live_contested');
  await untilBlocked(db);
  await other.commit().execute();
  expect(await second).toBe('exists');
});

it('reports a value that exists in the transaction of the caller, which goes on', async () => {
  const first = await keys.createKey(db, newKey());
  const second = await db.transaction().execute(async (transaction) => {
    expect(await keys.importKey(transaction, newKey(), first.key)).toBe('exists');
    return keys.createKey(transaction, newKey());
  });
  expect(await find(second.key)).toBeDefined();
});

it('lists the keys of one account, the oldest first, with their last characters', async () => {
  const other = await makeAccount(db);
  expect(await keys.listKeys(db, other)).toEqual([]);
  const first = await keys.createKey(db, newKey({ account_id: other, mode: 'test' }));
  const second = await keys.createKey(db, newKey({ account_id: other }));
  const rolled = await keys.rollKey(db, first.id, 60, NOW);
  await keys.revokeKey(db, second.id);
  const listed = await keys.listKeys(db, other);
  expect(listed.map(({ id, last4, revoked_at }) => ({ id, last4, revoked_at }))).toEqual([
    { id: first.id, last4: rolled!.last4, revoked_at: null },
    { id: second.id, last4: second.last4, revoked_at: expect.any(Date) },
  ]);
  expect(listed.some((key) => 'key' in key)).toBe(false);
});

it('stops the old value at once, or after the overlap', async () => {
  const first = await keys.createKey(db, newKey({ mode: 'test' }));
  const second = await keys.rollKey(db, first.id, 0, NOW);
  expect(second).toMatchObject({ id: first.id, key: expect.stringMatching(/^test_/) });
  expect(await find(first.key)).toBeUndefined();
  const third = await keys.rollKey(db, first.id, 60, NOW);
  expect(await find(second!.key, later(59))).toMatchObject({ key: { id: first.id } });
  expect(await find(second!.key, later(60))).toBeUndefined();
  expect(await find(third!.key, later(1e6))).toMatchObject({ key: { id: first.id } });
  // A second roll shortens the overlap of older values, and does not prolong it.
  const fourth = await keys.rollKey(db, first.id, 600, NOW);
  expect(await find(second!.key, later(61))).toBeUndefined();
  expect(await find(first.key)).toBeUndefined();
  await keys.rollKey(db, first.id, 0, NOW);
  for (const { key } of [second!, third!, fourth!]) expect(await find(key)).toBeUndefined();
});

it('leaves one current value when several rolls come at once', async () => {
  const { id } = await keys.createKey(db, newKey());
  const rolls = [1, 2, 3, 4].map(() => keys.rollKey(db, id, 0, NOW));
  const values = await Promise.all(rolls);
  const found = await Promise.all(values.map((roll) => find(roll!.key)));
  expect(found.filter(Boolean)).toHaveLength(1);
});

it('stops every value of a revoked key', async () => {
  const first = await keys.createKey(db, newKey());
  const second = await keys.rollKey(db, first.id, 3600, NOW);
  expect(await keys.revokeKey(db, first.id)).toBeInstanceOf(Date);
  expect(await Promise.all([find(first.key), find(second!.key)])).toEqual([undefined, undefined]);
  expect(await keys.revokeKey(db, first.id)).toBeUndefined();
  expect(await keys.rollKey(db, first.id, 0, NOW)).toBeUndefined();
});

it('is revoked at the time of the database', async () => {
  const { id } = await keys.createKey(db, newKey());
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 6 * 3_600_000 });
  const revokedAt = await keys.revokeKey(db, id);
  vi.useRealTimers();
  expect(revokedAt!.getTime()).toBeLessThanOrEqual(await readServerClock(db));
});

it('tells an unknown key', async () => {
  expect(await keys.revokeKey(db, 'key_0')).toBeUndefined();
  expect(await keys.rollKey(db, 'key_0', 0, NOW)).toBeUndefined();
});

it('stops the keys of a deleted account, and no others', async () => {
  const gone = await makeAccount(db);
  const { key } = await keys.createKey(db, newKey({ account_id: gone }));
  const other = await keys.createKey(db, newKey());
  await deleteAccount(db, gone);
  expect(await find(key)).toBeUndefined();
  expect(await find(other.key)).toBeDefined();
});

it('knows which hosts public keys trust, until they are revoked', async () => {
  const hosts = { trusted_domains: ['trusted.example', '127.0.0.1'] };
  const { id } = await keys.createKey(db, newKey({ kind: 'public', ...hosts }));
  await keys.createKey(db, newKey({ trusted_domains: ['private.example'] }));
  expect(await keys.anyKeyTrustsHost(db, ['www.trusted.example', 'trusted.example', 'example'])).toBe(true);
  expect(await keys.anyKeyTrustsHost(db, ['127.0.0.1'])).toBe(true);
  expect(await keys.anyKeyTrustsHost(db, ['untrusted.example', 'example'])).toBe(false);
  expect(await keys.anyKeyTrustsHost(db, ['private.example'])).toBe(false);
  expect(await keys.anyKeyTrustsHost(db, [])).toBe(false);
  await keys.revokeKey(db, id);
  expect(await keys.anyKeyTrustsHost(db, ['trusted.example'])).toBe(false);
});

it('looks trusted hosts up in the index', async () => {
  // Of few keys, all are read.
  for (let count = 0; count < 400; count += 1) await keys.createKey(db, newKey());
  await sql`analyze keys`.execute(db);
  await db.transaction().execute(async (transaction) => {
    await sql`set local enable_seqscan = off`.execute(transaction);
    const { rows } = await sql<{ 'QUERY PLAN': string }>`
      explain select from keys
      where kind = 'public' and revoked_at is null and trusted_domains && '{x.example}'::text[]
    `.execute(transaction);
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('keys_trusted_domains');
  });
});
