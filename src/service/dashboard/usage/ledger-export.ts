/** The ledger as a file. */
import { counted } from '../../core/format.ts';
import { readClosed, readRows, type Selection } from '../../credits/history/ledger-store.ts';
import type { Db } from '../../database/schema.ts';
import { type CsvFile, inPages } from '../csv-file.ts';
import { KINDS } from './ledger-words.ts';

/** The latest changes come first, as on the page. The sums of months whose changes were closed come last. */
export function ledgerFile(db: Db, accountId: string, selection: Selection): CsvFile {
  const { month, day, why } = selection;
  const name = ['credits', day ?? month, why].filter((part) => part !== undefined).join('-');
  const columns = ['time', 'credits', 'why', 'of', 'batch', 'balance'];
  return { name, columns, pages: pagesOf(db, accountId, selection) };
}

async function* pagesOf(db: Db, accountId: string, selection: Selection) {
  for await (const rows of inPages((page) => readRows(db, accountId, selection, page)))
    yield rows.map(({ at, amount, why, of, batch_name, balance }) => [
      ...[at.toISOString(), amount, KINDS[why]],
      ...[of, batch_name, balance],
    ]);
  const closed = await readClosed(db, accountId, selection);
  yield closed.map(({ month, why, amount, count }) => [
    ...[month, amount, KINDS[why]],
    `sum of ${counted(count, 'change')}`,
    ...[null, null],
  ]);
}
