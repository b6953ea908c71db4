/** The ledger as a file. */

import { counted } from '../../core/format.ts';
import { readClosed, readRows, type Selection } from '../../credits/history/ledger-store.ts';
import type { Db } from '../../database/schema.ts';
import type { CsvFile } from '../csv-file.ts';
import { KINDS } from './ledger-words.ts';

const ROWS_AT_ONCE = 1_000;

/** The latest changes come first, as on the page. The sums of months whose changes were closed come last. */
export function ledgerFile(db: Db, accountId: string, selection: Selection): CsvFile {
  const { month, day, why } = selection;
  const name = ['credits', day ?? month, why].filter((part) => part !== undefined).join('-');
  return {
    name,
    columns: ['time', 'credits', 'why', 'of', 'batch', 'balance'],
    pages: pagesOf(db, accountId, selection),
  };
}

async function* pagesOf(db: Db, accountId: string, selection: Selection) {
  yield* changesOf(db, accountId, selection);
  const closed = await readClosed(db, accountId, selection);
  yield closed.map(({ month, why, amount, count }) => [
    ...[month, amount, KINDS[why]],
    `sum of ${counted(count, 'change')}`,
    ...[null, null],
  ]);
}

async function* changesOf(db: Db, accountId: string, selection: Selection) {
  for (let before: number | undefined; ; ) {
    const rows = await readRows(db, accountId, selection, { limit: ROWS_AT_ONCE, before });
    if (rows.length === 0) return;
    yield rows.map(({ at, amount, why, of, batch_name, balance }) => [
      at.toISOString(),
      amount,
      KINDS[why],
      of,
      batch_name,
      balance,
    ]);
    if (rows.length < ROWS_AT_ONCE) return;
    before = rows.at(-1)!.id;
  }
}
