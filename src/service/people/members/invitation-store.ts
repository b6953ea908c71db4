/** All SQL of invitations. An invitation that has ended is not found, whether its row is still there or not. */
import { sql } from 'kysely';
import { deleteSome } from '../../database/delete-some.ts';
import type { Db } from '../../database/schema.ts';
import { emailKey } from '../accounts/account-store.ts';
import { type Role, rolesWith } from './roles.ts';

export interface NewInvitation {
  readonly id: string;
  readonly accountId: string;
  readonly email: string;
  readonly role: Role;
  /** Of the secret in the link. */
  readonly digest: Buffer;
  readonly inviterId: string;
  readonly seconds: number;
}

/**
 * Writes an invitation in place of an earlier one for the same address. The caller has locked the account.
 *
 * @returns false if another account has one with this id
 */
export async function putInvitation(db: Db, invitation: NewInvitation): Promise<boolean> {
  const { id, accountId, email, role, digest, inviterId, seconds } = invitation;
  const email_key = emailKey(email);
  await db
    .deleteFrom('invitations')
    .where('account_id', '=', accountId)
    .where('email_key', '=', email_key)
    .execute();
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('invitations')
    .values({
      ...{ id, account_id: accountId, email, email_key, role, digest, inviter_id: inviterId },
      expires_at: sql<Date>`clock_timestamp() + make_interval(secs => ${seconds})`,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows > 0n;
}

/** An invitation that can be accepted, as the account's members see it. */
export interface OpenInvitation {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  /** The address of the person who made it. */
  readonly inviter: string;
  readonly created_at: Date;
  readonly expires_at: Date;
}

/**
 * It ends with the right of the person who made it. Otherwise, someone whose membership is about to end could invite
 * another address of their own, and come back with that.
 */
const IS_OPEN = sql<boolean>`
  invitations.expires_at > clock_timestamp() and accounts.deleted_at is null and members.role = any(
    case invitations.role when 'owner' then ${rolesWith('manageOwners')}::text[]
    else ${rolesWith('manageMembers')}::text[] end
  )
`;

/** With the membership of the person who made it. */
const open = (db: Db) =>
  db
    .selectFrom('invitations')
    .innerJoin('accounts', 'accounts.id', 'invitations.account_id')
    .innerJoin('persons', 'persons.id', 'inviter_id')
    .innerJoin('members', (join) =>
      join
        .onRef('members.person_id', '=', 'inviter_id')
        .onRef('members.account_id', '=', 'invitations.account_id'),
    )
    .where(IS_OPEN);

/** The open invitations of an account, latest first. */
export async function listInvitations(db: Db, accountId: string): Promise<OpenInvitation[]> {
  return open(db)
    .select(['invitations.id', 'invitations.email', 'invitations.role', 'persons.email as inviter'])
    .select(['invitations.created_at', 'expires_at'])
    .where('invitations.account_id', '=', accountId)
    .orderBy('invitations.created_at', 'desc')
    .orderBy('invitations.id')
    .execute();
}

/** How many invitations an account has, with those that the housekeeping has yet to delete. */
export async function countInvitations(db: Db, accountId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from invitations where account_id = ${accountId}
  `.execute(db);
  return rows[0]!.count;
}

/** What its link opens. */
export interface FoundInvitation extends Pick<OpenInvitation, 'id' | 'email' | 'role' | 'inviter'> {
  readonly accountId: string;
  /** The address that names the account. */
  readonly ownerEmail: string;
}

/** Finds the open invitation of a link. */
export async function findInvitation(db: Db, digest: Buffer): Promise<FoundInvitation | undefined> {
  return open(db)
    .select(['invitations.id', 'invitations.email', 'invitations.role', 'persons.email as inviter'])
    .select(['accounts.id as accountId', 'owner_email as ownerEmail'])
    .where('digest', '=', digest)
    .executeTakeFirst();
}

/** Whether somebody has invited this address, and the invitation is open. */
export async function isInvited(db: Db, email: string): Promise<boolean> {
  const found = await open(db)
    .select('invitations.id')
    .where('invitations.email_key', '=', emailKey(email))
    .executeTakeFirst();
  return found !== undefined;
}

/** The role that the open invitation of an address gives in an account. Undefined without one. */
export async function findRoleInvited(db: Db, accountId: string, email: string): Promise<Role | undefined> {
  const found = await open(db)
    .select('invitations.role')
    .where('invitations.account_id', '=', accountId)
    .where('invitations.email_key', '=', emailKey(email))
    .executeTakeFirst();
  return found?.role;
}

/** Finds an invitation of an account, also one that has ended. */
export async function findInvited(
  db: Db,
  accountId: string,
  id: string,
): Promise<Pick<OpenInvitation, 'email' | 'role'> | undefined> {
  return db
    .selectFrom('invitations')
    .select(['email', 'role'])
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** @returns whether it was there */
export async function deleteInvitation(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('invitations').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Deletes all invitations of an account. There are few. */
export async function forgetInvitationsOf(db: Db, accountId: string): Promise<void> {
  await db.deleteFrom('invitations').where('account_id', '=', accountId).execute();
}

/** Deletes some invitations whose time is over. @returns whether there may be more */
export const forgetInvitations = (db: Db): Promise<boolean> =>
  deleteSome(db, 'invitations', sql`expires_at < statement_timestamp()`);
