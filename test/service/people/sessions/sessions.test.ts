import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { deleteAccount } from '../../../../src/service/deletion/delete-account.ts';
import { findAccountById, setPasswordHash } from '../../../../src/service/people/accounts/account-store.ts';
import {
  formTokenOf,
  isFormToken,
  isValue,
  makeValue,
} from '../../../../src/service/people/sessions/cookie-value.ts';
import {
  countSessions,
  endSession,
  findSession,
  forgetEndedSessions,
  MOST_SESSIONS,
} from '../../../../src/service/people/sessions/session-store.ts';
import { beginSession } from '../../../../src/service/people/sessions/sessions.ts';
import { digestOf } from '../../../../src/shared/sha256.ts';
import { makeAccount } from '../../support/account.ts';
import { testDatabase } from '../../support/database.ts';
import { DEPS, settingsWith } from '../../support/deps.ts';

const database = await testDatabase();
const { db } = database;

const deps = { ...DEPS, db, settings: settingsWith({ durations: { session: 3600 } }) };
const find = (value: string, from = db) => findSession(from, digestOf(value));
const NEW_BROWSER = () => ({ replaced: makeValue(), userAgent: undefined });
const newAccount = async () => (await findAccountById(db, await makeAccount(db)))!;

async function begin(
  account: { id: string; password_hash: string },
  replaced = makeValue(),
  userAgent: string | undefined = 'a browser',
) {
  const value = await beginSession(deps, account, { replaced, userAgent });
  if (value === undefined) throw new Error('no session was begun');
  return value;
}

describe('a session', () => {
  it('is found by its value in every process, and tells whose it is', async () => {
    const account = await newAccount();
    const value = await begin(account);
    expect(isValue(value)).toBe(true);
    const elsewhere = database.connect();
    expect(await find(value, elsewhere)).toEqual({
      ...{ accountId: account.id, email: account.owner_email },
      secondsSincePassword: expect.any(Number),
    });
    expect(await find(makeValue(), elsewhere)).toBeUndefined();
  });

  it('never has the value that the browser had before, and ends the session of that value', async () => {
    const account = await newAccount();
    const planted = makeValue();
    const first = await begin(account, planted);
    const second = await begin(account, first);
    expect(new Set([planted, first, second]).size).toBe(3);
    expect(await find(planted)).toBeUndefined();
    expect(await find(first)).toBeUndefined();
    expect(await find(second)).toBeDefined();
  });

  it('ends when an account has too many: each right password adds one, and nothing bounded their number', async () => {
    const account = await newAccount();
    const unused = await begin(account);
    await sql`update sessions set seen_at = seen_at - interval '1 hour'`.execute(db);
    const second = await begin(account);
    const other = await begin(await newAccount());
    for (let count = 2; count <= MOST_SESSIONS; count += 1) await begin(account);
    expect(await countSessions(db, account.id)).toBe(MOST_SESSIONS);
    expect(await find(unused)).toBeUndefined();
    expect(await find(second)).toBeDefined();
    expect(await find(other)).toBeDefined();
  });

  it('ends when its time is over, by the clock of the database', async () => {
    const value = await begin(await newAccount());
    await sql`update sessions set created_at = created_at - interval '2 hours',
      expires_at = expires_at - interval '1 hour'`.execute(db);
    expect(await find(value)).toBeUndefined();
    await forgetEndedSessions(db);
    expect(await db.selectFrom('sessions').selectAll().execute()).toEqual([]);
  });

  it('ends by sign-out, and others of the account go on', async () => {
    const account = await newAccount();
    const [one, other] = [await begin(account), await begin(account)];
    await endSession(db, digestOf(one));
    expect(await find(one)).toBeUndefined();
    expect(await find(other)).toBeDefined();
  });

  it('ends with every other one of the account when the password is changed, or the account deleted', async () => {
    const [account, stranger] = [await newAccount(), await newAccount()];
    const values = [await begin(account), await begin(account)];
    const untouched = await begin(stranger);
    expect(await setPasswordHash(db, account.id, 'another hash')).toBe(true);
    for (const value of values) expect(await find(value)).toBeUndefined();
    expect(await find(untouched)).toBeDefined();
    await deleteAccount(db, stranger.id);
    expect(await find(untouched)).toBeUndefined();
  });

  it('does not begin with a password that was changed, or for an account that was deleted, after the check', async () => {
    const [changed, deleted] = [await newAccount(), await newAccount()];
    await setPasswordHash(db, changed.id, 'another hash');
    await deleteAccount(db, deleted.id);
    expect(await beginSession(deps, changed, NEW_BROWSER())).toBeUndefined();
    expect(await beginSession(deps, deleted, NEW_BROWSER())).toBeUndefined();
  });

  it('does not outlive a change of the password that runs at the same time', async () => {
    for (let round = 0; round < 20; round += 1) {
      const account = await newAccount();
      const [value] = await Promise.all([
        beginSession(deps, account, NEW_BROWSER()),
        setPasswordHash(database.db, account.id, 'another hash'),
      ]);
      expect(value && (await find(value))).toBeUndefined();
    }
  });

  it('is stored as a digest', async () => {
    const value = await begin(await newAccount());
    const { rows } = await sql<{ row: string }>`select sessions::text as row from sessions`.execute(db);
    const bytes = Buffer.from(value, 'base64url').toString('hex');
    expect(JSON.stringify(rows)).not.toContain(value);
    expect(JSON.stringify(rows)).not.toContain(bytes);
  });
});

describe('the token of the forms', () => {
  it('belongs to one cookie, and does not tell it', () => {
    const [value, other] = [makeValue(), makeValue()];
    expect(isFormToken(formTokenOf(value), value)).toBe(true);
    expect(isFormToken(formTokenOf(other), value)).toBe(false);
    expect(isFormToken(undefined, value)).toBe(false);
    expect(isFormToken('é'.repeat(43), value)).toBe(false);
    expect(formTokenOf(value)).not.toContain(value);
  });
});

it.each(['', 'short', `${'a'.repeat(42)}=`, 'a'.repeat(44), undefined])(
  'does not take %j for a value',
  (text) => {
    expect(isValue(text)).toBe(false);
  },
);
