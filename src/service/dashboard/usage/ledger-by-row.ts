/** Single changes of credits. */
import { figure, signed } from '../../core/format.ts';
import type { LedgerRow } from '../../credits/history/ledger-store.ts';
import type { Html } from '../../pages/html.ts';
import type { Site } from '../../pages/page-urls.ts';
import { dataTable, numbers } from '../data-table.ts';
import { moment } from '../moment.ts';
import { sayWhy } from './ledger-words.ts';

/** @param caption which part of the ledger it shows */
export function rowsTable(rows: readonly LedgerRow[], caption: string, site: Site): Html {
  const sum = rows.reduce((total, { amount }) => total + amount, 0);
  return dataTable({
    ...{ label: 'Changes', caption, isNamed: false },
    columns: [
      { title: 'Time', css: 'time' },
      { title: 'Why', css: 'why' },
      ...numbers('Credits', 'Credits after it'),
    ],
    rows: rows.map((row) => [moment(row.at), sayWhy(row, site), signed(row.amount), figure(row.balance)]),
    sums: ['Sum of these changes', '', signed(sum), ''],
  });
}
