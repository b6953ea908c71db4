/** Rows that the housekeeping has to delete, many in each table. */
import { sql } from 'kysely';
import type { Db } from '../../../src/service/database/schema.ts';

/** The tables of which nothing is left. */
export const OLD_TABLES = [
  ...(['verifications', 'renewable_results', 'idempotency', 'visitors', 'processes'] as const),
  ...(['conversations', 'conversation_queues', 'conversation_waits', 'paces', 'domain_facts'] as const),
  ...(['authorization_codes', 'token_families', 'device_requests', 'sessions', 'guesses'] as const),
  ...(['key_refusals', 'daily_results', 'batches', 'batch_progress', 'batch_marks'] as const),
  ...(['batch_rows', 'callbacks', 'callback_tries', 'lists', 'list_rows', 'list_files'] as const),
  ...(['audit', 'ledger', 'ledger_days', 'keys', 'accounts'] as const),
] as const;

/** Makes a statement fail that deletes more than 5,000 rows, whether itself or by a foreign key. */
export async function refuseLargeDeletions(db: Db): Promise<void> {
  await sql`
    create function refuse_many() returns trigger language plpgsql as $$
    begin
      if (select count(*) from gone) > 5000 then
        raise 'Expected a statement to delete at most 5,000 rows of %, got %.', tg_table_name, (select count(*) from gone);
      end if;
      return null;
    end
    $$
  `.execute(db);
  const tables = sql<{ name: string }>`select tablename as name from pg_tables where schemaname = 'public'`;
  for (const { name } of (await tables.execute(db)).rows)
    await sql`
      create trigger refuse_many after delete on ${sql.table(name)} referencing old table as gone
      for each statement execute function refuse_many()
    `.execute(db);
}

const DIGEST = 'sha256(i::text::bytea)';
const UUID = "md5('r' || i)::uuid";
const ID = "lpad(i::text, 24, '0')";
const BATCH = `insert into batches (id, account_id, mode, total, distinct_total, retries, completed_at, expires_at, reason_counts, emptied_at)`;
const LONG_AGO = "now() - interval '1000 days'";

/** Each makes `n` rows, of `i` from 1. */
const OLD_ROWS = [
  `insert into verifications (id, account_id, question, process_id, state, expires_at, outcome)
     select ${UUID}, 'a', ${DIGEST}, ${UUID}, 'kept', ${LONG_AGO}, '\\x00' from i`,
  `insert into renewable_results (id, account_id, question, outcome, expires_at)
     select ${DIGEST}, 'a', ${DIGEST}, '\\x00', ${LONG_AGO} from i`,
  `insert into idempotency (account_id, mode, route, key, request, process_id, created_at)
     select 'a', 'live', '/v1/verify', i::text, ${DIGEST}, ${UUID}, ${LONG_AGO} from i`,
  `insert into visitors (key_id, day, network, addresses)
     select 'k', (now() at time zone 'UTC')::date - 1, i::text, '{}' from i`,
  `insert into processes (id, alive_at) select ${UUID}, ${LONG_AGO} from i`,
  `insert into paces (organisation, used_at) select i::text, ${LONG_AGO} from i`,
  `insert into domain_facts (domain, organisation, learnt_at, server, until)
     select i::text, 'Example', ${LONG_AGO}, 'mx.example', ${LONG_AGO} from i`,
  `insert into conversations (id, organisation, process_id, begun_after, begun_at)
     select ${UUID}, i::text, gen_random_uuid(), 0, ${LONG_AGO} from i`,
  `insert into conversation_queues (organisation, process_id, since, seen_at)
     select i::text, ${UUID}, ${LONG_AGO}, ${LONG_AGO} from i`,
  `insert into conversation_waits (organisation, process_id, since, in_background, seen_at)
     select i::text, ${UUID}, ${LONG_AGO}, false, ${LONG_AGO} from i`,
  `insert into authorization_codes (digest, client_id, account_id, redirect_uri, expires_at)
     select ${DIGEST}, 'app_0123456789', 'a', 'https://app.example/', ${LONG_AGO} from i`,
  `insert into token_families (handle, client_id, account_id, refresh_token, access_token, access_expires_at)
     select ${DIGEST}, 'app_0123456789', 'a', ${DIGEST}, ${DIGEST}, ${LONG_AGO} from i`,
  `insert into device_requests (device_code, user_code, client_id, interval_seconds, expires_at)
     select ${DIGEST}, ${DIGEST}, 'app_0123456789', 5, ${LONG_AGO} from i`,
  `insert into sessions (id, account_id, created_at, expires_at)
     select ${DIGEST}, 'a', ${LONG_AGO} - interval '1 hour', ${LONG_AGO} from i`,
  `insert into guesses (subject, wrong, guessed_at) select ${DIGEST}, 1, ${LONG_AGO} from i`,
  `insert into key_refusals (key_id, reason, seen_from, count, first_at, last_at)
     select 'k', 'ip', i::text, 1, ${LONG_AGO}, ${LONG_AGO} from i`,
  `insert into daily_results (account_id, day, source, mode, reason, count)
     select 'a', current_date - 402 - i, 'verify', 'live', 'timeout', 1 from i`,
  // Batches of test keys, each with a callback, and deleted ones.
  `${BATCH} select ${ID}, 'a', 'test', 1, 1, true, ${LONG_AGO}, ${LONG_AGO}, '{}', ${LONG_AGO} from i`,
  `insert into callbacks (batch_id, message_id, attempt, tried_at, given_up_at)
     select ${ID}, i::text, 1, ${LONG_AGO}, ${LONG_AGO} from i`,
  `${BATCH} select 'f' || lpad(i::text, 23, '0'), null, 'live', 1, 1, true, ${LONG_AGO}, ${LONG_AGO}, '{}', ${LONG_AGO}
     from i`,
  `insert into callback_tries (batch_id, number, at, status, error)
     select lpad((1 + i % 100)::text, 24, '0'), 1 + i / 100, ${LONG_AGO}, 500, 'e' from i`,
  // A deleted batch with its addresses, its list and its progress.
  `${BATCH} values ('${'e'.repeat(24)}', null, 'live', 100000, 100000, true, ${LONG_AGO}, ${LONG_AGO}, '{}', null)`,
  `insert into batch_rows (batch_id, place, address) select '${'e'.repeat(24)}', i, '"a"' from i`,
  `insert into batch_progress (batch_id, connection, reason, count, duplicates)
     select '${'e'.repeat(24)}', 1, 'timeout', 1, 0 from i where i = 1`,
  `insert into lists (id, account_id, name, columns, row_count, address_column, created_at)
     values ('${'d'.repeat(24)}', null, 'l', 1, 1, 0, ${LONG_AGO})`,
  `insert into list_rows (list_id, number, cells) select '${'d'.repeat(24)}', i, '["a"]' from i`,
  // The progress of a batch that has just been completed, and is deleted.
  `${BATCH} values ('${'c'.repeat(24)}', null, 'live', 1, 1, true, now() - interval '2 minutes', now(), '{}', null)`,
  `insert into batch_progress (batch_id, connection, reason, count, duplicates)
     select '${'c'.repeat(24)}', i, 'timeout', 1, 0 from i`,
  `insert into batch_marks (batch_id, at, processed) select i::text, ${LONG_AGO}, 1 from i`,
  `insert into audit (account_id, at, actor, actor_name, action)
     select 'a', ${LONG_AGO}, 'owner', 'a', 'key.create' from i`,
  `insert into ledger (account_id, amount, why, balance, at) select 'a', 1, 'top-up', i, ${LONG_AGO} from i`,
];

const DATA = [
  `insert into keys (id, account_id, kind, mode) values ('k', 'a', 'private', 'live')`,
  `insert into apps (client_id, account_id, name, allows_device) values ('app_0123456789', 'a', 'App', true)`,
  `insert into app_redirect_uris values ('app_0123456789', 'https://app.example/')`,
];

/** Makes so many rows in each table, and an account of theirs, which is deleted last. */
export async function fillWithOldRows(db: Db, count: number): Promise<void> {
  const account = `insert into accounts (id, owner_email, email_key, password_hash, callback_secret)
    values ('a', 'a', 'a', 'x', 'whsec_x')`;
  for (const statement of [account, ...DATA]) await sql.raw(statement).execute(db);
  const i = `with i as (select generate_series(1, ${count}) as i)`;
  for (const statement of OLD_ROWS) await sql.raw(`${i} ${statement}`).execute(db);
}

/** Makes new rows of an account that the housekeeping deletes only with it, so many of each kind. */
export async function fillAccount(db: Db, id: string, count: number): Promise<void> {
  const i = `with i as (select generate_series(1, ${count}) as i)`;
  const statements = [
    `insert into keys (id, account_id, kind, mode) select 'k' || i, '${id}', 'private', 'live' from i`,
    `insert into key_values (digest, key_id, last4) select ${DIGEST}, 'k' || i, '1234' from i`,
    `insert into visitors (key_id, day, network, addresses) select 'k1', current_date, i::text, '{}' from i`,
    `insert into rates (account_id, endpoint, started_at, count) select 'k' || i, '/v1/verify', now(), 1 from i`,
    `insert into apps (client_id, account_id, name, allows_device) values ('app_of_${id}', '${id}', 'App', true)`,
    `insert into token_families (handle, client_id, account_id, refresh_token, access_token, access_expires_at)
       select ${DIGEST}, 'app_of_${id}', 'other', ${DIGEST}, ${DIGEST}, now() + interval '1 hour' from i`,
    `insert into idempotency (account_id, mode, route, key, request, process_id)
       select '${id}', 'live', '/v1/verify', i::text, ${DIGEST}, ${UUID} from i`,
    `insert into daily_results (account_id, day, source, mode, reason, count)
       select '${id}', current_date - i, 'verify', 'live', 'timeout', 1 from i`,
    `insert into audit (account_id, actor, actor_name, action) select '${id}', 'owner', 'a', 'key.create' from i`,
    `insert into ledger (account_id, amount, why, balance) select '${id}', 1, 'top-up', i from i`,
    `insert into payments (id, account, needed, outcome, credits, ended_at)
     select '${id} ' || i, '${id}', 1, 'credited', 1, now() from i`,
  ];
  for (const statement of statements)
    await sql.raw(statement.startsWith('insert into apps') ? statement : `${i} ${statement}`).execute(db);
}

/** How many rows are left in each table. */
export async function countOldRows(db: Db): Promise<[string, number][]> {
  const counts: [string, number][] = [];
  for (const table of OLD_TABLES) {
    const { rows } = await sql<{ count: number }>`select count(*) from ${sql.table(table)}`.execute(db);
    counts.push([table, rows[0]!.count]);
  }
  return counts;
}
