/** The ledger by day, so that single verifications do not bury other changes. Each day links to its changes. */
import { figure, signed } from '../../core/format.ts';
import type { LedgerDay } from '../../credits/history/ledger-store.ts';
import type { LedgerReason } from '../../database/schema.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Site } from '../../pages/page-urls.ts';
import { longDay } from '../charts/utc-days.ts';
import { dataTable, numbers } from '../data-table.ts';
import { PATH } from './ledger-filter.ts';
import { queryOf, type Wanted } from './ledger-selection.ts';

const COLUMNS: readonly (readonly [string, readonly LedgerReason[]])[] = [
  ['Verifications', ['verification']],
  ['Batches', ['batch']],
  ['Given back', ['refund', 'batch-refund']],
  ['Added', ['top-up', 'billing']],
];

const sum = (amounts: readonly { readonly amount: number }[]): number =>
  amounts.reduce((total, { amount }) => total + amount, 0);

const cell = (amount: number): string => (amount === 0 ? '–' : signed(amount));

/** @param caption which part of the ledger it shows */
export function daysTable(days: readonly LedgerDay[], { why }: Wanted, caption: string, site: Site): Html {
  const columns = why === undefined ? COLUMNS : COLUMNS.filter(([, kinds]) => kinds.includes(why));
  const of = ({ sums }: Pick<LedgerDay, 'sums'>, kinds: readonly LedgerReason[]) =>
    sum(sums.filter((one) => kinds.includes(one.why)));
  const all = { sums: days.flatMap(({ sums }) => sums) };
  const isSummed = columns.length > 1;
  const cells = (one: Pick<LedgerDay, 'sums'>) => [
    ...columns.map(([, kinds]) => cell(of(one, kinds))),
    ...(isSummed ? [cell(sum(one.sums))] : []),
  ];
  const titles = [...columns.map(([title]) => title), ...(isSummed ? ['Sum'] : []), 'Credits at its end'];
  return dataTable({
    ...{ label: 'Changes by day', caption },
    columns: ['Day (UTC)', ...numbers(...titles)],
    rows: days.map((day) => [
      html`<a href="${site.link(PATH + queryOf({ day: day.day, why }))}">${longDay(day.day)}</a>`,
      ...cells(day),
      figure(day.balance),
    ]),
    sums: ['Sum of these days', ...cells(all), ''],
  });
}
