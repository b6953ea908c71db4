/** Completed batches for the tests of downloads. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { completeBatch } from '../../../../src/service/batch/batch-store.ts';
import { createDownloadName } from '../../../../src/service/batch/download/download-name.ts';
import { type Download, findDownload } from '../../../../src/service/batch/download/download-store.ts';
import { type BatchResult, toBatchResult } from '../../../../src/service/batch/result-fields.ts';
import type { Db } from '../../../../src/service/database/schema.ts';
import { makeAccount } from '../../support/account.ts';
import { DEPS } from '../../support/deps.ts';
import { resultOf } from '../../support/result.ts';

/** Pieces of it cannot be compressed, because they are far from each other. */
const POOL = randomBytes(1024 * 1024);

export interface MadeBatch {
  readonly id: string;
  readonly accountId: string;
  /** The path of its download. */
  readonly path: string;
  readonly download: Download;
}

export interface MakeOptions {
  readonly responseFields?: readonly string[];
  /** How many random characters each address has, which cannot be compressed. */
  readonly padding?: number;
}

/** A batch of so many distinct addresses. The database makes the results, which is fast. */
export async function makeLargeBatch(
  db: Db,
  count: number,
  { padding = 0, ...options }: MakeOptions = {},
): Promise<MadeBatch> {
  return make(db, count, options, async (id) => {
    const template = JSON.stringify(toBatchResult(resultOf('USER@company.example')));
    const bytes = padding / 2;
    const random = sql`encode(
      substr(${POOL}::bytea, 1 + (random() * ${POOL.length - bytes})::integer, ${bytes}::integer), 'hex'
    )`;
    await sql`
      insert into batch_rows (batch_id, place, address, reason, result)
      select ${id}, place, '"x"', 'accepted_email',
        replace(${template}, 'USER', 'user' || place || ${random})::json
      from generate_series(0, ${count - 1}) as place
    `.execute(db);
  });
}

/** A batch with these results. It has the fields of a result with these changes. */
export async function makeBatch(
  db: Db,
  results: readonly Partial<BatchResult>[],
  options: MakeOptions = {},
): Promise<MadeBatch> {
  return make(db, results.length, options, async (id) => {
    const rows = results.map((changes) =>
      JSON.stringify({ ...toBatchResult(resultOf('user@company.example')), ...changes }),
    );
    await sql`
      insert into batch_rows (batch_id, place, address, reason, result)
      select ${id}, place - 1, '"x"', 'accepted_email', result::json
      from unnest(${rows}::text[]) with ordinality as row (result, place)
    `.execute(db);
  });
}

async function make(
  db: Db,
  count: number,
  { responseFields }: MakeOptions,
  insertRows: (id: string) => Promise<void>,
): Promise<MadeBatch> {
  const accountId = await makeAccount(db);
  const id = randomBytes(12).toString('hex');
  const name = createDownloadName();
  await db
    .insertInto('batches')
    .values({
      ...{ id, account_id: accountId, mode: 'test', retries: true, download_name: name },
      // Only distinct addresses are in the file.
      ...{ total: count + 1_001, distinct_total: count },
      response_fields: responseFields ? [...responseFields] : null,
    })
    .execute();
  await insertRows(id);
  await completeBatch(db, id, DEPS.settings.durations);
  const download = await findDownload(db, name);
  return { id, accountId, path: `/download/${name}.zip`, download: download! };
}
