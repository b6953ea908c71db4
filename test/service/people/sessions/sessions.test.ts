import { describe, expect, it } from 'vitest';
import { deleteAccount } from '../../../../src/service/deletion/delete-account.ts';
import { setMember } from '../../../../src/service/people/members/member-store.ts';
import { deletePerson, setPersonPassword } from '../../../../src/service/people/persons/person-store.ts';
import {
  formTokenOf,
  isFormToken,
  isValue,
  makeValue,
} from '../../../../src/service/people/sessions/cookie-value.ts';
import {
  chooseAccount,
  confirmSession,
  countSessions,
  endOtherSessions,
  endSession,
  endSessionOf,
  findSession,
  forgetEndedSessions,
  leaveAccount,
  MOST_SESSIONS,
} from '../../../../src/service/people/sessions/session-store.ts';
import { beginSession, type CheckedPerson } from '../../../../src/service/people/sessions/sessions.ts';
import { digestOf } from '../../../../src/shared/sha256.ts';
import { makeAccount, ownerOf } from '../../support/account.ts';
import { dumpOf, testDatabase } from '../../support/database.ts';
import { DEPS, settingsWith } from '../../support/deps.ts';

const database = await testDatabase();
const { db, run } = database;

const deps = { ...DEPS, db, settings: settingsWith({ durations: { session: 3600, sessionIdle: 600 } }) };
const find = (value: string, from = db) => findSession(from, digestOf(value), 600);
/** An update of an open page. */
const look = (value: string) => findSession(db, digestOf(value));
const NEW_BROWSER = () => ({
  ...{ replaced: makeValue(), userAgent: undefined, ip: '192.0.2.1', browserToken: undefined },
});
/** The owner of a new owner. */
async function newOwner() {
  const accountId = await makeAccount(db);
  const { personId: id, email } = ownerOf(accountId);
  await setPersonPassword(db, id, HASH);
  return { id, checkedHash: HASH, email, accountId };
}
const HASH = 'a hash';

async function begin(person: CheckedPerson, replaced = makeValue()) {
  const begun = await beginSession(deps, person, { ...NEW_BROWSER(), replaced, userAgent: 'a browser' });
  if (begun === undefined) throw new Error('no session was begun');
  return begun.cookie;
}

describe('a session', () => {
  it('is found by its value in every process, and tells whose it is', async () => {
    const owner = await newOwner();
    const value = await begin(owner);
    expect(isValue(value)).toBe(true);
    const elsewhere = database.connect();
    expect(await find(value, elsewhere)).toEqual({
      ...{ sessionId: digestOf(value), personId: owner.id, email: owner.email },
      account: { id: owner.accountId, ownerEmail: owner.email, role: 'owner' },
      ...{ secondsSinceConfirmed: expect.any(Number), hasNews: false },
    });
    expect(await find(makeValue(), elsewhere)).toBeUndefined();
  });

  it('never has the value that the browser had before, and ends the session of that value', async () => {
    const owner = await newOwner();
    const planted = makeValue();
    const first = await begin(owner, planted);
    const second = await begin(owner, first);
    expect(new Set([planted, first, second]).size).toBe(3);
    expect(await find(planted)).toBeUndefined();
    expect(await find(first)).toBeUndefined();
    expect(await find(second)).toBeDefined();
  });

  it('ends when a person has too many: each right password adds one, and nothing bounded their number', async () => {
    const owner = await newOwner();
    const unused = await begin(owner);
    await run`update sessions set seen_at = seen_at - interval '1 hour'`;
    const second = await begin(owner);
    const other = await begin(await newOwner());
    for (let count = 2; count <= MOST_SESSIONS; count += 1) await begin(owner);
    expect(await countSessions(db, owner.id)).toBe(MOST_SESSIONS);
    expect(await find(unused)).toBeUndefined();
    expect(await find(second)).toBeDefined();
    expect(await find(other)).toBeDefined();
  });

  it('ends when its time is over, by the clock of the database', async () => {
    const value = await begin(await newOwner());
    await run`update sessions set created_at = created_at - interval '2 hours',
      expires_at = expires_at - interval '1 hour'`;
    expect(await find(value)).toBeUndefined();
    await forgetEndedSessions(db);
    expect(await db.selectFrom('sessions').selectAll().execute()).toEqual([]);
  });

  it('ends when nobody has used it for a while, and not while somebody does', async () => {
    const owner = await newOwner();
    const [left, used] = [await begin(owner), await begin(owner)];
    const passMinutes = (minutes: number) =>
      run`update sessions set seen_at = seen_at - make_interval(mins => ${minutes}),
        idle_at = idle_at - make_interval(mins => ${minutes})`;
    await passMinutes(6);
    expect(await find(used)).toBeDefined();
    await passMinutes(6);
    expect(await find(used)).toBeDefined();
    expect(await find(left)).toBeUndefined();
    await forgetEndedSessions(db);
    expect(await countSessions(db, owner.id)).toBe(1);
    expect(await db.selectFrom('sessions').select('id').execute()).toEqual([{ id: digestOf(used) }]);
  });

  it('ends although an open page has updated itself all the time', async () => {
    const value = await begin(await newOwner());
    for (let minutes = 0; minutes < 9; minutes += 3) {
      expect(await look(value)).toBeDefined();
      await run`update sessions set seen_at = seen_at - interval '3 minutes',
        idle_at = idle_at - interval '3 minutes'`;
    }
    await run`update sessions set idle_at = idle_at - interval '2 minutes'`;
    expect(await look(value)).toBeUndefined();
    // It does not begin again by a use that comes too late.
    expect(await find(value)).toBeUndefined();
    expect(await find(value)).toBeUndefined();
  });

  it('of the version before gets its end without a use by its next use', async () => {
    const value = await begin(await newOwner());
    await run`update sessions set idle_at = null`;
    expect(await look(value)).toBeDefined();
    expect(await find(value)).toBeDefined();
    const { rows } = await run`select idle_at from sessions where id = ${digestOf(value)}`;
    expect(rows).toEqual([{ idle_at: expect.any(Date) }]);
  });

  it('ends by sign-out, and others of the person go on', async () => {
    const owner = await newOwner();
    const [one, other] = [await begin(owner), await begin(owner)];
    await endSession(db, digestOf(one));
    expect(await find(one)).toBeUndefined();
    expect(await find(other)).toBeDefined();
  });

  it('is confirmed and ended alone, and for its own person alone', async () => {
    const [owner, stranger] = [await newOwner(), await newOwner()];
    const [one, other, foreign] = [await begin(owner), await begin(owner), await begin(stranger)];
    const all = [one, other, foreign];
    await run`update sessions set authenticated_at = authenticated_at - interval '1 day'`;
    const confirm = (value: string) => confirmSession(db, digestOf(value), owner.id);
    expect([await confirm(foreign), await confirm(one)]).toEqual([false, true]);
    const found = await Promise.all(all.map(look));
    const areOld = found.map((session) => session!.secondsSinceConfirmed >= 86_400);
    expect(areOld).toEqual([false, true, true]);

    await begin(owner);
    const end = (value: string) => endSessionOf(db, owner.id, digestOf(value));
    expect([await end(foreign), await end(one), await countSessions(db, owner.id)]).toEqual([0, 1, 2]);
    await endOtherSessions(db, owner.id, digestOf(other));
    expect([await countSessions(db, owner.id), await countSessions(db, stranger.id)]).toEqual([1, 1]);
    expect(await look(other)).toBeDefined();
    await run`update sessions set expires_at = clock_timestamp()`;
    expect(await confirm(other)).toBe(false);
  });

  it('ends with every other one of the person when the password is changed, or the person deleted', async () => {
    const [owner, stranger] = [await newOwner(), await newOwner()];
    const values = [await begin(owner), await begin(owner)];
    const untouched = await begin(stranger);
    expect(await setPersonPassword(db, owner.id, 'another hash')).toBe(true);
    for (const value of values) expect(await find(value)).toBeUndefined();
    expect(await find(untouched)).toBeDefined();
    await deletePerson(db, stranger.id);
    expect(await find(untouched)).toBeUndefined();
  });

  it('does not begin with a password that was changed, or for a person who was deleted, after the check', async () => {
    const [changed, deleted] = [await newOwner(), await newOwner()];
    await setPersonPassword(db, changed.id, 'another hash');
    await deletePerson(db, deleted.id);
    expect(await beginSession(deps, changed, NEW_BROWSER())).toBeUndefined();
    expect(await beginSession(deps, deleted, NEW_BROWSER())).toBeUndefined();
  });

  it('does not outlive a change of the password that runs at the same time', async () => {
    for (let round = 0; round < 20; round += 1) {
      const owner = await newOwner();
      const [begun] = await Promise.all([
        beginSession(deps, owner, NEW_BROWSER()),
        setPersonPassword(database.db, owner.id, 'another hash'),
      ]);
      expect(begun && (await find(begun.cookie))).toBeUndefined();
    }
  });

  it('shows the account that was joined first until another one is chosen, and stays with it at the next sign-in', async () => {
    const [owner, other] = [await newOwner(), await newOwner()];
    await setMember(db, other.accountId, owner.id, 'viewer');
    const value = await begin(owner);
    const chosen = async (one = value) => (await find(one))?.account;
    expect(await chosen()).toMatchObject({ id: owner.accountId, role: 'owner' });
    expect(await chooseAccount(db, digestOf(value), other.accountId)).toBe(true);
    expect(await chosen()).toEqual({ id: other.accountId, ownerEmail: other.email, role: 'viewer' });
    expect(await chosen(await begin(owner, value))).toMatchObject({ id: other.accountId });
    expect(await chosen(await begin(owner))).toMatchObject({ id: owner.accountId });
    // The choice is not that of the next person in the same browser.
    const again = await begin(owner);
    await chooseAccount(db, digestOf(again), other.accountId);
    expect(await chosen(await begin(other, again))).toMatchObject({ id: other.accountId, role: 'owner' });
  });

  it('chooses no account that the person is not a member of, or that was deleted', async () => {
    const [owner, stranger, other] = [await newOwner(), await newOwner(), await newOwner()];
    const value = await begin(owner);
    expect(await chooseAccount(db, digestOf(value), stranger.accountId)).toBe(false);
    await setMember(db, other.accountId, owner.id, 'admin');
    await deleteAccount(db, other.accountId);
    expect(await chooseAccount(db, digestOf(value), other.accountId)).toBe(false);
    expect(await find(value)).toMatchObject({ account: { id: owner.accountId } });
  });

  it('knows with the next request that a role has changed, a membership has ended, or an account was deleted', async () => {
    const [owner, other] = [await newOwner(), await newOwner()];
    await setMember(db, other.accountId, owner.id, 'admin');
    const value = await begin(owner);
    await chooseAccount(db, digestOf(value), other.accountId);
    await setMember(db, other.accountId, owner.id, 'viewer');
    expect(await find(value)).toMatchObject({ account: { id: other.accountId, role: 'viewer' } });
    await run`delete from members where account_id = ${other.accountId} and person_id = ${owner.id}`;
    expect(await find(value)).toMatchObject({ account: { id: owner.accountId, role: 'owner' } });
    await deleteAccount(db, owner.accountId);
    expect(await find(value)).toMatchObject({ personId: owner.id, account: undefined });
  });

  it('leaves an account when its person does, and no other session leaves one', async () => {
    const [owner, member] = [await newOwner(), await newOwner()];
    await setMember(db, owner.accountId, member.id, 'viewer');
    const [here, elsewhere] = [await begin(member), await begin(member)];
    const chosen = [
      [await begin(owner), owner.accountId],
      [here, owner.accountId],
      [elsewhere, member.accountId],
    ] as const;
    for (const [value, accountId] of chosen)
      expect(await chooseAccount(db, digestOf(value), accountId)).toBe(true);
    await leaveAccount(db, owner.accountId, member.id);
    const sessions = db.selectFrom('sessions').select('chosen_account_id as accountId').orderBy('created_at');
    const accountsOf = async (personId: string) =>
      (await sessions.where('person_id', '=', personId).execute()).map(({ accountId }) => accountId);
    expect(await accountsOf(member.id)).toEqual([null, member.accountId]);
    expect(await accountsOf(owner.id)).toEqual([owner.accountId]);
  });

  it('is stored as a digest', async () => {
    const value = await begin(await newOwner());
    const dump = await dumpOf(db, 'sessions');
    expect(dump).not.toContain(value);
    expect(dump).not.toContain(Buffer.from(value, 'base64url').toString('hex'));
  });
});

it('makes a token for forms that belongs to one cookie, and does not tell it', () => {
  const [value, other] = [makeValue(), makeValue()];
  expect(isFormToken(formTokenOf(value), value)).toBe(true);
  expect(isFormToken(formTokenOf(other), value)).toBe(false);
  expect(isFormToken(undefined, value)).toBe(false);
  expect(isFormToken('é'.repeat(43), value)).toBe(false);
  expect(formTokenOf(value)).not.toContain(value);
  expect(isFormToken(formTokenOf(value, 'acc_1'), value, 'acc_2')).toBe(false);
  expect(isFormToken(formTokenOf(value, 'acc_1'), value, 'acc_1')).toBe(true);
});

it.each(['', 'short', `${'a'.repeat(42)}=`, 'a'.repeat(44), undefined])(
  'does not take %j for a value',
  (text) => {
    expect(isValue(text)).toBe(false);
  },
);
