/** The overview of a database that lacks a table. */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { readOverview, totalsOf } from '../../../src/service/operations/overview.ts';
import { createBatch } from '../support/batch.ts';
import { testDatabase } from '../support/database.ts';

const { db } = await testDatabase();

it('leaves out what an older schema lacks, and fails where this one lacks it', async () => {
  await createBatch(db, 3);
  await sql`alter table conversations rename to other_conversations`.execute(db);
  await expect(readOverview(db)).rejects.toMatchObject({ code: '42P01' });
  expect(totalsOf(await readOverview(db, true))).toMatchObject({ waiting: 3 });
});

it('fails with an error that says nothing about the schema, also on an older one', async () => {
  const db_ = db.withPlugin({
    transformQuery({ node }) {
      if (node.kind === 'RawNode') throw new Error('a bug');
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  await expect(readOverview(db_, true)).rejects.toThrow('a bug');
});
