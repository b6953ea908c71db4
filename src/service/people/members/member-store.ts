/** All SQL of members: which person may do what in which account. */
import type { Db } from '../../database/schema.ts';
import type { Role } from './roles.ts';

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

/** Ends all memberships of an account. The persons stay. */
export async function endMembershipsOf(db: Db, accountId: string): Promise<void> {
  await db.deleteFrom('members').where('account_id', '=', accountId).execute();
}

/** The role of a person in an account. Undefined for a person who is not a member. */
export async function roleOf(db: Db, accountId: string, personId: string): Promise<Role | undefined> {
  const found = await db
    .selectFrom('members')
    .select('role')
    .where('account_id', '=', accountId)
    .where('person_id', '=', personId)
    .executeTakeFirst();
  return found?.role;
}
