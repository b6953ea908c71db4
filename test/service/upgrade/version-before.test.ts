/** What processes of the version before write while both run: it knows only accounts, and reaches their owners. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { changeRole } from '../../../src/service/people/members/change-role.ts';
import { membershipsOf, setMember } from '../../../src/service/people/members/member-store.ts';
import { findPersonByEmail, setPersonPassword } from '../../../src/service/people/persons/person-store.ts';
import {
  chooseAccount,
  findSession,
  leaveAccount,
} from '../../../src/service/people/sessions/session-store.ts';
import { makeAccount, ownerOf } from '../support/account.ts';
import { testDatabase } from '../support/database.ts';

const { db } = await testDatabase();

const insertAccount = (id: string, email: string) =>
  sql`
    insert into accounts (id, owner_email, email_key, password_hash, callback_secret)
    values (${id}, ${email}, ${email}, 'scrypt of before', 'whsec_x')
  `.execute(db);

async function insertSession(accountId: string): Promise<Buffer> {
  const id = randomBytes(32);
  await sql`
    insert into sessions (id, account_id, expires_at) values (${id}, ${accountId}, now() + interval '1 hour')
  `.execute(db);
  return id;
}

const passwordsOf = async (accountId: string) =>
  (await sql`select password_hash from accounts where id = ${accountId}`.execute(db)).rows;

it('makes the owner of an account, who gets its password', async () => {
  await insertAccount('acc_new', 'new@example.com');
  const person = (await findPersonByEmail(db, 'new@example.com'))!;
  expect(person).toMatchObject({ id: 'per_new', password_hash: 'scrypt of before' });
  expect(await membershipsOf(db, person.id)).toMatchObject([{ accountId: 'acc_new', role: 'owner' }]);
  expect(await passwordsOf('acc_new')).toEqual([{ password_hash: '' }]);
});

it('captures no person who has the address already', async () => {
  await sql`insert into persons (id, email, email_key, password_hash) values ('per_eve', 'eve@example.com',
    'eve@example.com', 'of eve')`.execute(db);
  await insertAccount('acc_eve', 'eve@example.com');
  expect(await findPersonByEmail(db, 'eve@example.com')).toMatchObject({ password_hash: 'of eve' });
  expect(await membershipsOf(db, 'per_eve')).toMatchObject([{ accountId: 'acc_eve', role: 'owner' }]);
  expect(await passwordsOf('acc_eve')).toEqual([{ password_hash: '' }]);
});

it('gives a new password to the owner, and ends the sessions of that person only', async () => {
  const [accountId, otherId] = [await makeAccount(db), await makeAccount(db)];
  const { personId } = ownerOf(accountId);
  await setPersonPassword(db, personId, 'before');
  const member = ownerOf(otherId).personId;
  await setMember(db, accountId, member, 'owner');
  await setPersonPassword(db, member, 'of the member');
  const [session, other] = [await insertSession(accountId), await insertSession(otherId)];
  await sql`update accounts set password_hash = 'after' where id = ${accountId}`.execute(db);
  const { rows } = await sql`
    select password_hash from persons where id in (${personId}, ${member}) order by password_hash
  `.execute(db);
  expect(rows).toEqual([{ password_hash: 'after' }, { password_hash: 'of the member' }]);
  expect(await findSession(db, session)).toBeUndefined();
  expect(await findSession(db, other)).toMatchObject({ personId: member });
});

it('starts a session of the owner, and no session where the account has no owner with its address', async () => {
  const accountId = await makeAccount(db);
  const { personId, email } = ownerOf(accountId);
  expect(await findSession(db, await insertSession(accountId))).toMatchObject({
    personId,
    account: { id: accountId, ownerEmail: email, role: 'owner' },
  });
  await setMember(db, accountId, personId, 'admin');
  expect(await findSession(db, await insertSession(accountId))).toBeUndefined();
});

it('is given all rights of an account only in a session whose person owns it', async () => {
  const [own, other] = [await makeAccount(db), await makeAccount(db)];
  const { personId } = ownerOf(own);
  await setMember(db, other, personId, 'viewer');
  const session = await insertSession(own);
  const seenBefore = async () =>
    (await sql<{ account_id: string }>`select account_id from sessions where id = ${session}`.execute(db))
      .rows;
  await chooseAccount(db, session, other);
  expect(await seenBefore()).toEqual([{ account_id: null }]);
  await chooseAccount(db, session, own);
  expect(await seenBefore()).toEqual([{ account_id: own }]);
  const actor = { kind: 'operator' } as const;
  await setMember(db, own, ownerOf(other).personId, 'owner');
  await changeRole(db, { accountId: own, personId, role: 'viewer', actor });
  expect(await seenBefore()).toEqual([{ account_id: null }]);
  await changeRole(db, { accountId: own, personId, role: 'owner', actor });
  expect(await seenBefore()).toEqual([{ account_id: own }]);
  await leaveAccount(db, own, personId);
  expect(await seenBefore()).toEqual([{ account_id: null }]);
});

it('issues tokens for the owner', async () => {
  const accountId = await makeAccount(db);
  await sql`insert into apps (client_id, account_id, name, allows_device)
    values ('app_0123456789', ${accountId}, 'App', true)`.execute(db);
  await sql`
    insert into token_families (handle, client_id, account_id, refresh_token, access_token, access_expires_at)
    values (${randomBytes(32)}, 'app_0123456789', ${accountId}, ${randomBytes(32)}, ${randomBytes(32)}, now())
  `.execute(db);
  const people = async () => (await sql`select person_id from token_families`.execute(db)).rows;
  expect(await people()).toEqual([{ person_id: ownerOf(accountId).personId }]);
  await sql`delete from members where account_id = ${accountId}`.execute(db);
  expect(await people()).toEqual([]);
});
