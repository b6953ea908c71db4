/** The SQL of what the batches of an account store. A trigger counts what they no longer store. */
import { sql } from 'kysely';
import type { Db } from '../../database/schema.ts';
import { LIVE_STORAGE, type Mode, type Storage, TEST_STORAGE } from './storage-limits.ts';

const limitsOf = (mode: Mode) => sql`
  select
    least(coalesce(stored_entries, ${LIVE_STORAGE.entries}), ${mode === 'test' ? TEST_STORAGE.entries : null}::integer)
      as most_entries,
    least(coalesce(open_batches, ${LIVE_STORAGE.openBatches}), ${mode === 'test' ? TEST_STORAGE.openBatches : null}::integer)
      as most_open
  from accounts
`;

/** @returns undefined if the account does not exist */
export async function readStorage(db: Db, accountId: string, mode: Mode): Promise<Storage | undefined> {
  const { rows } = await sql<{ entries: number; open: number; most_entries: number; most_open: number }>`
    with most as (${limitsOf(mode)} where id = ${accountId})
    select coalesce(entries, 0) as entries, coalesce(open_batches, 0) as open, most_entries, most_open
    from most left join batch_storage on account_id = ${accountId} and mode = ${mode}
  `.execute(db);
  const [found] = rows;
  return (
    found && {
      mode,
      stored: { entries: found.entries, openBatches: found.open },
      limits: { entries: found.most_entries, openBatches: found.most_open },
    }
  );
}

/** What a new batch adds. */
export interface StoredBatch {
  readonly id: string;
  readonly accountId: string;
  readonly mode: Mode;
  readonly entries: number;
  /** Whether it is already completed. */
  readonly isCompleted: boolean;
}

/**
 * Counts a new batch, unless it would exceed a limit. Call it late in the transaction that creates the batch, after the
 * account is locked, because other new batches of the account wait for it.
 *
 * @returns whether the batch may be stored
 */
export async function takeStorage(
  db: Db,
  { id, accountId, mode, entries, isCompleted }: StoredBatch,
): Promise<boolean> {
  const { rows } = await sql`
    with most as (${limitsOf(mode)} where id = ${accountId}), taken as (
      insert into batch_storage as storage (account_id, mode, entries, open_batches)
      select ${accountId}, ${mode}, ${entries}, ${isCompleted ? 0 : 1} from most
      where ${entries}::bigint <= most_entries
      on conflict (account_id, mode) do update set
        entries = storage.entries + excluded.entries, open_batches = storage.open_batches + excluded.open_batches
      where storage.entries + excluded.entries <= (select most_entries from most)
        and storage.open_batches < (select most_open from most)
      returning account_id
    )
    update batches set stored_entries = ${entries} from taken where id = ${id} returning id
  `.execute(db);
  return rows.length > 0;
}
