/** All SQL that concerns every kind of second factor. */
import { sql } from 'kysely';
import type { Db } from '../../database/schema.ts';

/** The ways in that a person has. */
export interface Factors {
  readonly hasPassword: boolean;
  /** Whether the person has signed in through the provider of single sign-on. */
  readonly hasProvider: boolean;
  readonly hasApp: boolean;
  readonly passkeys: number;
  /** Recovery codes that are left. */
  readonly codes: number;
}

/** Whether the person confirms a sign-in with more than the password. Recovery codes alone are no second factor. */
export const hasSecondFactor = ({ hasApp, passkeys }: Pick<Factors, 'hasApp' | 'passkeys'>): boolean =>
  hasApp || passkeys > 0;

/**
 * Locks a person until the transaction ends. Call it before changes of factors, so that two requests at once cannot
 * remove the last two ways in.
 */
export async function holdPerson(db: Db, personId: string): Promise<void> {
  await db.selectFrom('persons').select('id').where('id', '=', personId).forNoKeyUpdate().execute();
}

/** Without ways in, if the person does not exist. */
export async function factorsOf(db: Db, personId: string): Promise<Factors> {
  const { rows } = await sql<Factors>`
    select
      exists (select from persons where id = ${personId} and password_hash is not null) as "hasPassword",
      exists (select from identities where person_id = ${personId}) as "hasProvider",
      exists (
        select from authenticator_apps where person_id = ${personId} and confirmed_at is not null
      ) as "hasApp",
      (select count(*) from passkeys where person_id = ${personId}) as passkeys,
      (select count(*) from recovery_codes where person_id = ${personId}) as codes
  `.execute(db);
  return rows[0]!;
}

/** Who must have a second factor. */
export type Obliged = 'admins' | 'everybody';

/**
 * Persons with a password who must have a second factor. Whoever has none signs in at a provider, which has factors of
 * its own, or with a passkey.
 */
const obliged = (personId: string, who: Obliged) => sql`
  select from persons
  where id = ${personId} and password_hash is not null and (${who === 'everybody'} or exists (
    select from members where person_id = persons.id and role in ('owner', 'admin')
  ))
`;

export async function mustHaveFactor(db: Db, personId: string, who: Obliged): Promise<boolean> {
  const { rows } = await obliged(personId, who).execute(db);
  return rows.length > 0;
}

/** Whether the person must have a second factor, and has none. */
export async function lacksFactor(db: Db, personId: string, who: Obliged): Promise<boolean> {
  const { rows } = await sql`
    ${obliged(personId, who)}
      and not exists (select from authenticator_apps where person_id = persons.id and confirmed_at is not null)
      and not exists (select from passkeys where person_id = persons.id)
  `.execute(db);
  return rows.length > 0;
}

/** Removes all factors of a person, and the sign-ins that wait for one. @returns whether there was a second factor */
export async function removeFactors(db: Db, personId: string): Promise<boolean> {
  const { rows } = await sql<{ removed: number }>`
    with apps as (delete from authenticator_apps where person_id = ${personId} returning confirmed_at),
      keys as (delete from passkeys where person_id = ${personId} returning id),
      codes as (delete from recovery_codes where person_id = ${personId}),
      half as (delete from half_sign_ins where person_id = ${personId})
    select (select count(*) from apps where confirmed_at is not null) + (select count(*) from keys) as removed
  `.execute(db);
  return rows[0]!.removed > 0;
}
