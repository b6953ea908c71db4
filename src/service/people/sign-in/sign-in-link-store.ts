/** All SQL of the operator's sign-in links. */
import { sql } from 'kysely';
import { deleteSome } from '../../database/delete-some.ts';
import type { Db } from '../../database/schema.ts';

/** Writes the link of a person in place of an earlier one. @returns when it ends */
export async function putSignInLink(
  db: Db,
  personId: string,
  digest: Buffer,
  seconds: number,
): Promise<Date> {
  const { rows } = await sql<{ expires_at: Date }>`
    insert into sign_in_links (person_id, digest, expires_at)
    values (${personId}, ${digest}, clock_timestamp() + make_interval(secs => ${seconds}))
    on conflict (person_id) do update
      set digest = excluded.digest, created_at = excluded.created_at, expires_at = excluded.expires_at
    returning expires_at
  `.execute(db);
  return rows[0]!.expires_at;
}

/** The person whom a link lets in. Undefined for a link that is wrong, used or over. */
export async function findPersonOfLink(db: Db, digest: Buffer): Promise<string | undefined> {
  const found = await db
    .selectFrom('sign_in_links')
    .select('person_id')
    .where('digest', '=', digest)
    .where('expires_at', '>', sql<Date>`clock_timestamp()`)
    .executeTakeFirst();
  return found?.person_id;
}

/** Uses a link up, in the statement that checks it. @returns the person whom it lets in */
export async function spendSignInLink(db: Db, digest: Buffer): Promise<string | undefined> {
  const spent = await db
    .deleteFrom('sign_in_links')
    .where('digest', '=', digest)
    .where('expires_at', '>', sql<Date>`clock_timestamp()`)
    .returning('person_id')
    .executeTakeFirst();
  return spent?.person_id;
}

/** Deletes some links whose time is over. @returns whether there may be more */
export const forgetSignInLinks = (db: Db): Promise<boolean> =>
  deleteSome(db, 'sign_in_links', sql`expires_at < statement_timestamp()`);
