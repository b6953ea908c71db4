/**
 * The SQL of a lease, for each table whose rows are the work of a process: `process_id` names the process that has
 * claimed the row, and an attempt or an id of its own each claim. The conditions are written here once. The statements
 * are in the stores of the tables, because a row is released in another way in each: an address is ready again, a
 * callback waits, and a verification is refunded.
 *
 * | step | how |
 * | --- | --- |
 * | claim | sets `process_id` and a new attempt, and skips locked rows |
 * | heartbeat | the process's own (`process-lease.ts`). A row has none |
 * | take over | releases the rows of {@link isLost}. If the work had begun, its deaths are one more |
 * | release | of {@link isStray}, and all at the end of the process |
 * | end, cancel | an update whose condition names the process and the attempt, so a late end changes nothing |
 */
import { type RawBuilder, sql } from 'kysely';

/** A row that so many processes died over is not tried again. */
export const MOST_DEATHS = 3;

export interface LeasedTable {
  readonly table: 'batch_rows' | 'callbacks' | 'notices' | 'verifications';
  /** What a claimed row is, in the words of its index on `process_id`. */
  readonly claimed: RawBuilder<boolean>;
  /** The name of a claim: each claim of the same row has another one. */
  readonly claim: RawBuilder<string>;
}

/** Whether the process that has claimed the row is dead. The index is read once for each process, not for each row. */
export const isLost = ({ table, claimed }: LeasedTable) => sql<boolean>`
  ${claimed} and process_id = any(array(
    with recursive owners as (
      (select process_id from ${sql.table(table)} where ${claimed} order by process_id limit 1)
      union all
      select (
        select process_id from ${sql.table(table)} where ${claimed} and process_id > owners.process_id
        order by process_id limit 1
      ) from owners where process_id is not null
    )
    select process_id from owners where not is_process_alive(process_id)
  ))
`;

/** Whether this process has claimed the row and does not know of it, as after a reply that was lost. */
export const isStray = ({ claimed, claim }: LeasedTable, processId: string, known: readonly string[]) =>
  sql<boolean>`${claimed} and process_id = ${processId} and ${claim} <> all(${known}::text[])`;
