/** The SQL of what the batches of an account store. A trigger counts what they no longer store. */
import { sql } from 'kysely';
import type { Db, Mode } from '../../database/schema.ts';
import { LIVE_STORAGE, MOST_TEST_BATCHES, type Storage, TEST_STORAGE } from './storage-limits.ts';

const limitsOf = (mode: Mode) => sql`
  select
    least(coalesce(stored_entries, ${LIVE_STORAGE.entries}), ${mode === 'test' ? TEST_STORAGE.entries : null}::integer)
      as most_entries,
    least(coalesce(open_batches, ${LIVE_STORAGE.openBatches}), ${mode === 'test' ? TEST_STORAGE.openBatches : null}::integer)
      as most_open
  from accounts where deleted_at is null
`;

const TODAY = sql`(clock_timestamp() at time zone 'UTC')::date`;

/** @returns undefined if the account does not exist */
export async function readStorage(db: Db, accountId: string, mode: Mode): Promise<Storage | undefined> {
  const { rows } = await sql<Record<'entries' | 'open' | 'most_entries' | 'most_open' | 'made', number>>`
    with most as (${limitsOf(mode)} and id = ${accountId})
    select coalesce(entries, 0) as entries, coalesce(open_batches, 0) as open, most_entries, most_open,
      case when day = ${TODAY} then made_on_day else 0 end as made
    from most left join batch_storage on account_id = ${accountId} and mode = ${mode}
  `.execute(db);
  const [found] = rows;
  if (!found) return undefined;
  const stored = { entries: found.entries, openBatches: found.open };
  const limits = { entries: found.most_entries, openBatches: found.most_open };
  return { mode, stored, limits, madeToday: found.made };
}

/** What a new batch adds. */
export interface StoredBatch {
  readonly id: string;
  readonly accountId: string;
  readonly mode: Mode;
  readonly entries: number;
}

/**
 * Counts a new batch, unless it would exceed a limit. Call it late in the transaction that creates the batch, after the
 * account is locked, because other new batches of the account wait for it.
 *
 * @returns whether the batch may be stored
 */
export async function takeStorage(db: Db, { id, accountId, mode, entries }: StoredBatch): Promise<boolean> {
  const { rows } = await sql`
    with most as (${limitsOf(mode)} and id = ${accountId}), taken as (
      insert into batch_storage as storage (account_id, mode, entries, open_batches, day, made_on_day)
      select ${accountId}, ${mode}, ${entries}, 1, ${TODAY}, 1 from most
      where ${entries}::bigint <= most_entries
      on conflict (account_id, mode) do update set
        entries = storage.entries + excluded.entries, open_batches = storage.open_batches + excluded.open_batches,
        day = excluded.day, made_on_day = case when storage.day = excluded.day then storage.made_on_day else 0 end + 1
      where storage.entries + excluded.entries <= (select most_entries from most)
        and storage.open_batches < (select most_open from most)
        and (${mode !== 'test'} or storage.day is distinct from excluded.day or storage.made_on_day < ${MOST_TEST_BATCHES})
      returning account_id
    )
    update batches set stored_entries = ${entries} from taken where id = ${id} returning id
  `.execute(db);
  return rows.length > 0;
}
