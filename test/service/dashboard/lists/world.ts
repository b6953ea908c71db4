/** People with lists, and what the database has of them. */
import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Db } from '../../../../src/service/database/schema.ts';
import type { StoredService } from '../../support/stored-service.ts';
import { arrive, type Person, type SentFile, Visitor } from '../../support/visitor.ts';

export const NEW = '/dashboard/batches/new';

export const signedIn = ({ app }: Pick<StoredService, 'app'>, person: Person) =>
  new Visitor(app).signIn(person);

export const csv = (...lines: readonly string[]): SentFile => ({
  name: 'customers.csv',
  bytes: Buffer.from(lines.join('\r\n')),
});

/** Uploads a file and follows to its review. @returns the id of the list */
export async function upload(visitor: Visitor, file: SentFile): Promise<string> {
  await visitor.open(NEW);
  await visitor.upload('Upload', file);
  expect([visitor.status, visitor.text]).toEqual([303, '']);
  const id = /^\/dashboard\/lists\/([0-9a-f]{24})$/.exec(visitor.location!)?.[1];
  expect((await visitor.follow()).status).toBe(200);
  return id!;
}

/** A person who reviews the list that they have uploaded. */
export async function reviewList(service: Pick<StoredService, 'app'>, db: Db, file: SentFile, credits = 0) {
  const { visitor, person } = await arrive(service, db, credits);
  return { visitor, person, id: await upload(visitor, file) };
}

export const listOf = (db: Db, id: string) =>
  db.selectFrom('lists').selectAll().where('id', '=', id).executeTakeFirst();

export async function rowsOf(db: Db, id: string) {
  const rows = await db
    .selectFrom('list_rows')
    .select(['number', 'cells', 'place'])
    .where('list_id', '=', id)
    .orderBy('number')
    .execute();
  return rows.map(({ number, cells, place }) => [number, cells, place]);
}

export const batchesOf = (db: Db, { id }: Person) =>
  db.selectFrom('batches').selectAll().where('account_id', '=', id).execute();

export async function addressesOf(db: Db, batchId: string) {
  const rows = await db
    .selectFrom('batch_rows')
    .select(['address', 'duplicates'])
    .where('batch_id', '=', batchId)
    .orderBy('place')
    .execute();
  return rows.map(({ address, duplicates }) => [address, duplicates]);
}

/** Lets time pass for a draft. */
export async function makeOlder(db: Db, id: string, minutes: number): Promise<void> {
  const ago = sql`make_interval(mins => ${minutes})`;
  await sql`update lists set created_at = created_at - ${ago}, ends_at = ends_at - ${ago} where id = ${id}`.execute(
    db,
  );
}
