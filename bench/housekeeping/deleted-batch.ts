/** A very large batch that is deleted while most of it is not verified. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { deleteBatch } from '../../src/service/batch/manage/manage-batches.ts';
import type { Db } from '../../src/service/database/schema.ts';
import { type Figure, round } from '../report.ts';
import { HEAD_BESIDE, HOW_BESIDE, measureBeside } from './beside.ts';
import { fillQuickly } from './fill-quickly.ts';
import type { Scene } from './scene.ts';

const ROWS = 1_000_000;
const TARGET_MS = 1_000;

export async function deletedBatch(scene: Scene): Promise<Figure> {
  const { db, isQuick } = scene;
  const count = isQuick ? ROWS / 50 : ROWS;
  let longest = 0;
  let id = '';
  const { cells, target, runs } = await measureBeside(scene, {
    async fill() {
      id = randomBytes(12).toString('hex');
      await makeBatch(db, id, count);
    },
    async begin() {
      const began = performance.now();
      await deleteBatch(db, { id }, { refundUnknown: true });
      longest = Math.max(longest, performance.now() - began);
    },
    isLeft: () => isLeft(db, id),
  });
  return {
    title: 'A batch that is deleted',
    how: `An open batch of ${count.toLocaleString('en')} addresses is deleted ${HOW_BESIDE} Runs: ${runs}. Of the other times, the longest counts.`,
    head: ['', ...HEAD_BESIDE],
    rows: [
      [`${count.toLocaleString('en')} addresses`, ...cells],
      ['gone for its owner, with its credits given back', `${round(longest)} ms`],
    ],
    targets: [
      {
        text: `gone for its owner within ${TARGET_MS / 1_000} s`,
        found: `${round(longest)} ms`,
        isMet: longest <= TARGET_MS,
      },
      target,
    ],
  };
}

async function makeBatch(db: Db, id: string, count: number): Promise<void> {
  const account = sql`(select min(id) from accounts where deleted_at is null)`;
  await fillQuickly(
    db,
    sql`
      insert into batches (id, account_id, mode, total, distinct_total, retries, stored_entries)
      values (${id}, ${account}, 'live', ${count}, ${count}, true, ${count})
    `,
    sql`
      insert into batch_rows (batch_id, place, address, turn)
      select ${id}, place, to_json('person-' || place || '@shop-' || place % 50 || '.example'), place / 50
      from generate_series(0, ${count - 1}::integer) as place
    `,
    sql`
      insert into batch_storage as known (account_id, mode, entries, open_batches) values (${account}, 'live', ${count}, 1)
      on conflict (account_id, mode) do update set entries = known.entries + ${count}, open_batches = known.open_batches + 1
    `,
  );
}

async function isLeft(db: Db, id: string): Promise<boolean> {
  const { rows } = await sql`select from batches where id = ${id}`.execute(db);
  return rows.length > 0;
}
