/** The SQL of renewable results: those that a visitor may ask for again, free of charge. */
import { type Insertable, sql } from 'kysely';
import { deleteSome } from '../../database/delete-some.ts';
import type { Db, Schema } from '../../database/schema.ts';

/** A result that is kept from now on. */
export type RenewableResult = Omit<Insertable<Schema['renewable_results']>, 'expires_at'>;

/** The outcomes that are still free, in the order of the ids. */
export async function findRenewable(db: Db, ids: readonly Buffer[]): Promise<(Buffer | undefined)[]> {
  const { rows } = await sql<{ id: Buffer; outcome: Buffer }>`
    select id, outcome from renewable_results
    where id = any(${ids}::bytea[]) and expires_at > statement_timestamp()
  `.execute(db);
  return ids.map((id) => rows.find((row) => row.id.equals(id))?.outcome);
}

/** Keeps results for this many seconds. One that is kept already stays as it is, until its end. */
export async function keepRenewable(
  db: Db,
  results: readonly RenewableResult[],
  seconds: number,
): Promise<void> {
  // A statement changes a row only once.
  const all = [...new Map(results.map((result) => [result.id.toString('hex'), result])).values()];
  await sql`
    insert into renewable_results as kept (id, account_id, question, outcome, expires_at)
    select id, account_id, question, outcome, statement_timestamp() + make_interval(secs => ${seconds})
    from unnest(
      ${all.map(({ id }) => id)}::bytea[], ${all.map(({ account_id }) => account_id)}::text[],
      ${all.map(({ question }) => question)}::bytea[], ${all.map(({ outcome }) => outcome)}::bytea[]
    ) as each (id, account_id, question, outcome)
    order by id
    on conflict (id) do update set outcome = excluded.outcome, expires_at = excluded.expires_at
      where kept.expires_at <= statement_timestamp()
  `.execute(db);
}

/** How many results of these questions are kept. */
export async function countRenewable(
  db: Db,
  accountId: string,
  questions: readonly Buffer[],
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from renewable_results
    where account_id = ${accountId} and question = any(${questions}::bytea[])
  `.execute(db);
  return rows[0]!.count;
}

/** Deletes the results of these questions. */
export async function eraseRenewable(db: Db, accountId: string, questions: readonly Buffer[]): Promise<void> {
  await sql`
    delete from renewable_results where account_id = ${accountId} and question = any(${questions}::bytea[])
  `.execute(db);
}

/** Deletes some results that are not free any more. @returns whether there may be more */
export const forgetRenewable = (db: Db): Promise<boolean> =>
  deleteSome(db, 'renewable_results', sql`expires_at < statement_timestamp()`);

/** Deletes some results of a deleted account. @returns whether there may be more */
export const forgetRenewableOf = (db: Db, accountId: string): Promise<boolean> =>
  deleteSome(db, 'renewable_results', sql`account_id = ${accountId}`);
