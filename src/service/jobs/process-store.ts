/** The SQL of the service's processes: their locks, their beats, and who is dead. */
import { sql } from 'kysely';
import { deleteSome } from '../database/delete-some.ts';
import type { Db } from '../database/schema.ts';

/** The lock of a process. The function `is_process_alive` tries the same one. */
const lockOf = (processId: string) => sql`hashtextextended(${processId}::uuid::text, 0)`;

/** Takes the lock of the process for a session. @returns false if another session holds it, or tries it just now */
export async function takeLock(db: Db, processId: string): Promise<boolean> {
  const { rows } = await sql<{ is_mine: boolean }>`
    select pg_try_advisory_lock(${lockOf(processId)}) as is_mine
  `.execute(db);
  return rows[0]!.is_mine;
}

/** Gives the lock back. The server would only do so when it notices the end of the session. */
export async function releaseLock(db: Db, processId: string): Promise<void> {
  await sql`select pg_advisory_unlock(${lockOf(processId)})`.execute(db);
}

/** Ends the other sessions that hold the lock of the process. Only the process itself calls it. */
export async function endHolders(db: Db, processId: string): Promise<void> {
  await sql`
    select pg_terminate_backend(pid) from pg_locks
    where locktype = 'advisory' and mode = 'ExclusiveLock' and granted and objsubid = 1
      and database = (select oid from pg_database where datname = current_database())
      and (classid::bigint << 32) | objid::bigint = ${lockOf(processId)} and pid <> pg_backend_pid()
  `.execute(db);
}

/** Where a process runs. */
export type ProcessPlace = { readonly host: string; readonly pid: number };

/** What a process learns when it beats. */
export interface Beat {
  /** Whether another process is dead. */
  readonly hasDead: boolean;
  /** Where the row of the process is now. */
  readonly row: string;
}

/**
 * Records that the process is alive, and inserts its row again if it is gone. It also notes which others seem to have
 * stopped: they have not beaten for 20 seconds, or their beat is in the future because the clock was set back. Their next
 * beat takes the note away, and 10 seconds after it they count as dead. So a clock that is set makes nobody dead.
 *
 * @param place processes of earlier releases have none, and no lock. They live by their beats alone
 * @param row where the row of the process was last. It may be found there. While a snapshot is open, such as that of a
 * backup, a search by the id goes through a version for each beat
 */
export async function touchProcess(
  db: Db,
  processId: string,
  place?: ProcessPlace,
  row?: string,
): Promise<Beat> {
  const { rows } = await sql<Beat>`
    with moved as (
      update processes set alive_at = clock_timestamp(), suspected_at = null
      where ctid = ${row ?? null}::tid and id = ${processId} returning ctid
    ), found as (
      insert into processes (id, host, pid, alive_at)
      select ${processId}::uuid, ${place?.host ?? null}::text, ${place?.pid ?? null}::integer, clock_timestamp()
      where not exists (select from moved)
      on conflict (id) do update set alive_at = clock_timestamp(), suspected_at = null
      returning ctid
    ), silent as (
      select id from processes
      where id <> ${processId} and host is not null and suspected_at is null
        and alive_at not between clock_timestamp() - interval '20 seconds' and clock_timestamp() + interval '20 seconds'
      for no key update skip locked
    ), noted as (
      update processes set suspected_at = clock_timestamp() from silent where processes.id = silent.id
    )
    select exists (select from processes where id <> ${processId} and not is_process_alive(id)) as "hasDead",
      (select ctid::text from (select ctid from moved union all select ctid from found) as beaten) as row
  `.execute(db);
  return rows[0]!;
}

/** Records that the process has ended. Others take over its work at once. */
export async function removeProcess(db: Db, processId: string): Promise<void> {
  await db.deleteFrom('processes').where('id', '=', processId).execute();
}

/** A process of the service. */
export type KnownProcess = Awaited<ReturnType<typeof listProcesses>>[number];

/** The processes that run, and those that died less than a minute ago. The oldest come first. */
export async function listProcesses(db: Db) {
  return db
    .selectFrom('processes')
    .select(['id', 'host', 'pid', 'started_at', 'alive_at'])
    .select(sql<boolean>`is_process_alive(id)`.as('is_alive'))
    .orderBy('started_at')
    .orderBy('id')
    .execute();
}

/** Deletes processes that died more than a minute ago. @returns whether there may be more */
export const forgetProcesses = (db: Db): Promise<boolean> =>
  deleteSome(
    db,
    'processes',
    sql`alive_at not between clock_timestamp() - interval '1 minute' and clock_timestamp() + interval '1 minute'
      and not is_process_alive(id)`,
  );
