/** All SQL of members: which person may do what in which account. */
import { sql } from 'kysely';
import { deleteSome } from '../../database/delete-some.ts';
import type { Db } from '../../database/schema.ts';
import { ROLES, type Role } from './roles.ts';

/** A person's place in an account. */
export interface Membership {
  readonly accountId: string;
  /** The account's unique address, which names it. It need not be a member's. */
  readonly ownerEmail: string;
  readonly role: Role;
}

/** Makes a person a member, or changes the member's role. */
export async function setMember(db: Db, accountId: string, personId: string, role: Role): Promise<void> {
  await db
    .insertInto('members')
    .values({ account_id: accountId, person_id: personId, role })
    .onConflict((conflict) => conflict.columns(['account_id', 'person_id']).doUpdateSet({ role }))
    .execute();
}

/**
 * Gives a member another role in a new row. What the person has allowed to apps refers to the old row, and is deleted with
 * it.
 */
export async function replaceMember(db: Db, accountId: string, personId: string, role: Role): Promise<void> {
  const former = await db
    .deleteFrom('members')
    .where('account_id', '=', accountId)
    .where('person_id', '=', personId)
    .returning('created_at')
    .executeTakeFirst();
  if (!former) return;
  await db
    .insertInto('members')
    .values({ account_id: accountId, person_id: personId, role, created_at: former.created_at })
    .execute();
}

/** The accounts of a person, first joined first. */
export async function membershipsOf(db: Db, personId: string): Promise<Membership[]> {
  return db
    .selectFrom('members')
    .innerJoin('accounts', 'accounts.id', 'account_id')
    .select(['account_id as accountId', 'owner_email as ownerEmail', 'role'])
    .where('person_id', '=', personId)
    .where('deleted_at', 'is', null)
    .orderBy('members.created_at')
    .orderBy('account_id')
    .execute();
}

/**
 * Locks who belongs to an account until the transaction ends: whoever changes members or invitations waits. A deletion
 * of the account also locks its row first.
 *
 * @returns whether the account exists and was not deleted
 */
export async function lockMembers(db: Db, accountId: string): Promise<boolean> {
  const account = await db
    .selectFrom('accounts')
    .select('id')
    .where('id', '=', accountId)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return account !== undefined;
}

/**
 * Deletes some memberships of a deleted account, which count no more. The persons stay. @returns whether there may be more
 */
export const forgetMembersOf = (db: Db, accountId: string): Promise<boolean> =>
  deleteSome(db, 'members', sql`account_id = ${accountId}`);

/** The role of a person in an account. Undefined for a person who is not a member. */
export async function roleOf(db: Db, accountId: string, personId: string): Promise<Role | undefined> {
  const found = await db
    .selectFrom('members')
    .innerJoin('accounts', 'accounts.id', 'account_id')
    .select('role')
    .where('account_id', '=', accountId)
    .where('person_id', '=', personId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return found?.role;
}

/** A member, as the others of the account see it. */
export interface ListedMember {
  readonly personId: string;
  readonly email: string;
  readonly role: Role;
  readonly since: Date;
}

/** The members of an account: owners first, then by the other roles, each in the order of their addresses. */
export async function listMembers(db: Db, accountId: string): Promise<ListedMember[]> {
  return db
    .selectFrom('members')
    .innerJoin('persons', 'persons.id', 'person_id')
    .select(['persons.id as personId', 'email', 'role', 'members.created_at as since'])
    .where('account_id', '=', accountId)
    .orderBy(sql`array_position(${[...ROLES]}::text[], role)`)
    .orderBy('email_key')
    .execute();
}

/** How many owners an account has. */
export async function ownersOf(db: Db, accountId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from members where account_id = ${accountId} and role = 'owner'
  `.execute(db);
  return rows[0]!.count;
}

/** Deletes a membership. */
export async function deleteMember(db: Db, accountId: string, personId: string): Promise<void> {
  await db
    .deleteFrom('members')
    .where('account_id', '=', accountId)
    .where('person_id', '=', personId)
    .execute();
}
