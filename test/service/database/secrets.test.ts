import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { afterAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/service/core/log.ts';
import { type Database, openDatabase } from '../../../src/service/database/database.ts';
import { DatabaseError } from '../../../src/service/database/database-error.ts';
import type { SchemaRule } from '../../../src/service/database/migrate.ts';
import { resealSecrets } from '../../../src/service/database/reseal.ts';
import type { Db } from '../../../src/service/database/schema.ts';
import {
  carrying,
  createSecrets,
  IN_CLEAR,
  SecretError,
  type StoredPair,
  type StoredSecret,
} from '../../../src/service/database/secrets.ts';
import { createKey, listKeys } from '../../../src/service/keys/key-store.ts';
import { findOwnKey, updateKey } from '../../../src/service/keys/manage/manage-keys-store.ts';
import { createStoredKeys } from '../../../src/service/keys/stored-keys.ts';
import {
  findCallbackSecrets,
  rollCallbackSecret,
} from '../../../src/service/people/accounts/account-store.ts';
import { createAccount } from '../../../src/service/people/members/create-account.ts';
import { testDatabase } from '../support/database.ts';

const OLD = Buffer.alloc(32, 1);
const NEW = Buffer.alloc(32, 2);
const [old, next] = [createSecrets([OLD]), createSecrets([NEW])];

/** @returns the class and the code of what the step throws */
function faultOf(step: () => unknown): unknown {
  try {
    return step();
  } catch (error) {
    return error instanceof SecretError ? error.code : error;
  }
}

describe('a sealed secret', () => {
  const sealed = old.seal('accounts.callback_secret', 'acc_1', 'whsec_x');

  it.each(['whsec_x', '', 'ﷺ 🔑', `${old.keyId}.looks like a sealed one`, 'x'.repeat(1_000)])(
    'opens as it was: %s',
    (secret) => {
      const stored = old.seal('keys.captcha_secret', 'key_1', secret);
      expect(stored.clear).toBe(null);
      expect(old.open('keys.captcha_secret', 'key_1', stored)).toBe(secret);
    },
  );

  it('differs each time, so that equal secrets do not show', () => {
    expect(old.seal('accounts.callback_secret', 'acc_1', 'whsec_x').sealed).not.toBe(sealed.sealed);
  });

  it('names its key, and holds neither the key nor the secret', () => {
    expect(sealed.sealed).toMatch(/^[0-9a-f]{16}\.[A-Za-z0-9+/]+=*$/);
    expect(sealed.sealed).toContain(`${old.keyId}.`);
    expect(old.keyId).not.toBe(next.keyId);
  });

  it.each([
    ['another row', () => old.open('accounts.callback_secret', 'acc_2', sealed)],
    ['another column', () => old.open('accounts.former_callback_secret', 'acc_1', sealed)],
    ['another table', () => old.open('keys.captcha_secret', 'acc_1', sealed)],
  ])('does not open in %s', (_, open) => {
    expect(faultOf(open)).toBe('SECRET_NOT_GENUINE');
  });

  it('does not open after a change of any character, or cut anywhere', () => {
    const text = sealed.sealed as unknown as string;
    const start = text.indexOf('.') + 1;
    const bytes = Buffer.from(text.slice(start), 'base64');
    const open = (changed: Buffer) => {
      const sealed = (text.slice(0, start) + changed.toString('base64')) as unknown as StoredSecret;
      return faultOf(() => old.open('accounts.callback_secret', 'acc_1', { clear: null, sealed }));
    };
    for (const place of bytes.keys()) {
      const changed = Buffer.from(bytes);
      changed[place]! ^= 1;
      expect([place, open(changed)]).toEqual([place, 'SECRET_NOT_GENUINE']);
      expect([place, open(bytes.subarray(0, place))]).toEqual([place, 'SECRET_NOT_GENUINE']);
    }
  });

  it.each([
    ['no key file', IN_CLEAR],
    ['another key', next],
  ])('does not open with %s, and the fault names the key', (_, secrets) => {
    const open = () => secrets.open('accounts.callback_secret', 'acc_1', sealed);
    expect(faultOf(open)).toBe('SECRETS_KEY_MISSING');
    expect(open).toThrow(old.keyId);
  });
});

it('reads a clear secret as it is, even one that looks sealed', () => {
  const looksSealed = old.seal('keys.captcha_secret', 'key_1', 'x').sealed as unknown as string;
  const stored = IN_CLEAR.seal('keys.captcha_secret', 'key_1', looksSealed);
  expect(old.open('keys.captcha_secret', 'key_1', stored)).toBe(looksSealed);
});

async function withDatabase() {
  const { db, url } = await testDatabase();
  /** The database as a process with these keys sees it. */
  const process = (keys: readonly Buffer[]) =>
    carrying(createSecrets(keys)).reduce<Db>((carried, plugin) => carried.withPlugin(plugin), db);
  return { url, process };
}

async function makeAccount(db: Db): Promise<string> {
  const made = await createAccount(db, { email: `${randomUUID()}@example.com`, passwordHash: 'scrypt' });
  if (typeof made === 'string') throw new Error('Expected a new account.');
  return made.id;
}

const makeKey = (db: Db, account_id: string, captcha_secret: string) =>
  createKey(db, {
    ...{ account_id, kind: 'public', mode: 'test', trusted_domains: ['shop.example'] },
    ...{ captcha_provider: 'turnstile', captcha_secret },
  });

/** Everything that the two tables hold, as a backup does. */
async function wholeText(db: Db): Promise<string> {
  const { rows } = await sql<{ row: string }>`
    select accounts::text as row from accounts union all select keys::text from keys
  `.execute(db);
  return rows.map(({ row }) => row).join('\n');
}

describe('stored secrets', async () => {
  const { process } = await withDatabase();
  const [clear, sealing] = [process([]), process([OLD])];

  it('are nowhere in clear with a key file', async () => {
    const account = await makeAccount(sealing);
    const { id } = await makeKey(sealing, account, 'first-captcha-secret');
    await updateKey(sealing, id, { captcha_secret: 'second-captcha-secret' });
    await rollCallbackSecret(sealing, account);
    const secrets = await findCallbackSecrets(sealing, account);
    expect(secrets).toHaveLength(2);
    const text = await wholeText(sealing);
    for (const secret of [...secrets, 'first-captcha-secret', 'second-captcha-secret'])
      expect(text).not.toContain(secret);
  });

  it('are read by every store as they were', async () => {
    const account = await makeAccount(sealing);
    const made = await makeKey(sealing, account, 'hush');
    expect(made).toMatchObject({ captcha_secret: 'hush' });
    expect(made).not.toHaveProperty('sealed_captcha_secret');
    expect(await listKeys(sealing, account)).toMatchObject([{ captcha_secret: 'hush' }]);
    expect(await findOwnKey(sealing, account, made.id)).toMatchObject({ captcha_secret: 'hush' });
    const key = await createStoredKeys(sealing).find(made.key);
    expect(key).toMatchObject({ captcha: { secret: 'hush' } });
  });

  it('stay the same over a roll, current one first', async () => {
    const account = await makeAccount(clear);
    const [first] = await findCallbackSecrets(clear, account);
    await rollCallbackSecret(sealing, account);
    const [second, former] = await findCallbackSecrets(sealing, account);
    expect(former).toBe(first);
    expect(second).not.toBe(first);
    expect(() => new Webhook(second!)).not.toThrow();
  });

  it('are refused without the key, and never returned sealed', async () => {
    const account = await makeAccount(sealing);
    const { id } = await makeKey(sealing, account, 'hush');
    const fault = { code: 'SECRETS_KEY_MISSING' };
    await expect(findCallbackSecrets(clear, account)).rejects.toMatchObject(fault);
    await expect(rollCallbackSecret(clear, account)).rejects.toMatchObject(fault);
    await expect(findOwnKey(clear, account, id)).rejects.toMatchObject(fault);
    await expect(listKeys(clear, account)).rejects.toMatchObject(fault);
  });

  it('stay sealed in a transaction', async () => {
    const account = await sealing.transaction().execute((transaction) => makeAccount(transaction));
    const row = sealing.selectFrom('accounts').select('callback_secret').where('id', '=', account);
    expect(await row.executeTakeFirst()).toEqual({ callback_secret: null });
  });
});

describe('reseal', async () => {
  const { url, process } = await withDatabase();

  it('rotates the keys of several processes in the documented order, and every process reads all along', async () => {
    const clear = process([]);
    const account = await makeAccount(clear);
    const { id } = await makeKey(clear, account, 'hush');
    await rollCallbackSecret(clear, account);
    const before = await findCallbackSecrets(clear, account);
    const expectReads = async (...processes: Db[]) => {
      for (const db of processes) {
        expect(await findCallbackSecrets(db, account)).toEqual(before);
        expect(await findOwnKey(db, account, id)).toMatchObject({ captcha_secret: 'hush' });
      }
    };
    // Two processes restart one after the other in each step, so the former files and the new ones mix.
    const steps = [[OLD], [OLD, NEW], [NEW, OLD]];
    let [left, right] = [process([OLD]), process([OLD])];
    expect(await resealSecrets(left)).toEqual({ sealed: 3, resealed: 0 });
    const others: string[] = [];
    for (const keys of steps) {
      left = process(keys);
      others.push(await makeAccount(left), await makeAccount(right));
      await expectReads(left, right);
      for (const other of others)
        expect(await findCallbackSecrets(left, other)).toEqual(await findCallbackSecrets(right, other));
      right = process(keys);
    }
    // All but the one that the first process made last, which has the new key.
    expect(await resealSecrets(left)).toEqual({ sealed: 0, resealed: 3 + others.length - 1 });
    expect(await resealSecrets(left)).toEqual({ sealed: 0, resealed: 0 });
    await expectReads(process([NEW]));
  });

  it('seals more rows than one chunk', async () => {
    const db = process([]);
    await sql`
      insert into accounts (id, owner_email, email_key, password_hash, callback_secret)
      select 'acc_many' || n, n, n, 'scrypt', 'whsec_' || n from generate_series(1, 1100) as n
    `.execute(db);
    expect(await resealSecrets(process([NEW]))).toEqual({ sealed: 1_100, resealed: 0 });
    expect(await findCallbackSecrets(process([NEW]), 'acc_many1100')).toEqual(['whsec_1100']);
  });

  it.each([
    ['in clear', [], { sealed: 1, resealed: 0 }],
    ['with the older key', [OLD], { sealed: 0, resealed: 1 }],
  ])('seals what a service changed %s meanwhile as it is now', async (_, keys, counts) => {
    const service = process(keys);
    const account = await makeAccount(service);
    const later = createSecrets(keys).seal('accounts.callback_secret', account, 'whsec_later');
    let isChanged = false;
    // Changes the secret between the read and the write.
    const interrupted = process([NEW, OLD]).withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        if (!isChanged && result.rows.some((row) => row.id === account)) {
          isChanged = true;
          await sql`
            update accounts set callback_secret = ${later.clear}, sealed_callback_secret = ${later.sealed}
            where id = ${account}
          `.execute(service);
        }
        return result;
      },
    });
    expect(await resealSecrets(interrupted)).toEqual(counts);
    expect(isChanged).toBe(true);
    expect(await findCallbackSecrets(process([NEW]), account)).toEqual(['whsec_later']);
  });

  const opened: Database[] = [];
  afterAll(() => Promise.all(opened.map((database) => database.close())));
  const open = (keys: readonly Buffer[], schema: SchemaRule = 'migrate') => {
    const database = openDatabase({ url }, { log: silentLog, secrets: createSecrets(keys), schema });
    opened.push(database);
    return database.ready;
  };

  it.each([
    ['without a key file', [], 'no secretsKeyFile'],
    ['with a wrong key', [OLD], `a file with ${old.keyId}`],
  ])('refuses to open %s, in one sentence that names the key', async (_, keys, got) => {
    const error = await open(keys).catch((error) => error);
    expect(error).toBeInstanceOf(DatabaseError);
    expect(error.message).toBe(
      `Expected the key ${next.keyId} in secretsKeyFile, because secrets in the database are sealed with it, got ${got}. Add this key to the file.`,
    );
  });

  it('opens with the key, and for a backup without it', async () => {
    await open([OLD, NEW]);
    await open([], 'leave');
  });
});

it('reads one row for each key that the secrets need, not all of them', async () => {
  const { process } = await withDatabase();
  const db = process([]);
  const pair = (secret: string): StoredPair => old.seal('accounts.callback_secret', 'x', secret);
  await sql`
    insert into accounts (id, owner_email, email_key, password_hash, sealed_callback_secret)
    select 'acc_' || n, n, n, 'scrypt', ${pair('whsec_x').sealed} from generate_series(1, 2000) as n
  `.execute(db);
  await sql`analyze accounts`.execute(db);
  const { rows } = await sql<{ 'QUERY PLAN': string }>`
    explain select left(sealed_callback_secret, 16) from accounts
    where sealed_callback_secret is not null order by 1 limit 1
  `.execute(db);
  expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('accounts_sealed');
});
