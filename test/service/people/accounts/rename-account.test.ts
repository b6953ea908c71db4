/** An account gets another address. */
import { expect, it } from 'vitest';
import { findAccountByEmail } from '../../../../src/service/people/accounts/account-store.ts';
import { renameAccount } from '../../../../src/service/people/accounts/rename-account.ts';
import { auditOf } from '../../support/audit.ts';
import { testDatabase } from '../../support/database.ts';
import { makePerson } from '../../support/visitor.ts';

const { db } = await testDatabase();
const actor = { kind: 'operator' } as const;

const eventsOf = (accountId: string) => auditOf(db, accountId, 'action', 'details');

it('renames the account with an entry in its log, and leaves the person of the former address', async () => {
  const { id, email: from, personId } = await makePerson(db);
  const to = `renamed-${id}@example.com`;
  expect(await renameAccount(db, { id, from, to, actor })).toBe('renamed');
  expect(await findAccountByEmail(db, to.toUpperCase())).toMatchObject({ id, owner_email: to });
  expect(await findAccountByEmail(db, from)).toBeUndefined();
  expect(await eventsOf(id)).toEqual([{ action: 'account.rename', details: { from, to } }]);
  const person = await db.selectFrom('persons').select('email').where('id', '=', personId).execute();
  expect(person).toEqual([{ email: from }]);
});

it('changes nothing if another account has the address, in any case, or if this one has another by now', async () => {
  const [one, other] = [await makePerson(db), await makePerson(db)];
  const rename = (from: string, to: string) => renameAccount(db, { id: one.id, from, to, actor });
  expect(await rename(one.email, other.email.toUpperCase())).toBe('taken');
  expect(await rename('before@example.com', 'new@example.com')).toBe('gone');
  expect(await findAccountByEmail(db, one.email)).toMatchObject({ id: one.id });
  expect(await eventsOf(one.id)).toEqual([]);
});

it('takes no other failure of the database for a taken address', async () => {
  const { id, email: from } = await makePerson(db);
  // No text of the database has this character.
  await expect(renameAccount(db, { id, from, to: 'a\0@example.com', actor })).rejects.toThrow();
  expect(await findAccountByEmail(db, from)).toMatchObject({ id });
});
