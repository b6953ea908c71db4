/**
 * Fills a database by SQL with what many customers leave behind in many years. Ids and secrets follow from numbers, so
 * that the bench can ask for rows that exist.
 *
 * What a trigger keeps is kept here too, because the triggers run, except for the ledger and the visitors: their
 * millions of rows would take an hour. The sums of the ledger are then inserted as the trigger would have.
 */
import { createHash } from 'node:crypto';
import type pg from 'pg';

/** How many rows there are at scale 1. */
export const FULL = {
  accounts: 200_000,
  keys: 400_000,
  ledger: 5_000_000,
  payments: 80_000,
  openPayments: 1_000,
  references: 100_000,
  openBatches: 10_000,
  dueCallbacks: 20_000,
  keptBatches: 21_000,
  emptiedBatches: 259_000,
  visitors: 3_000_000,
  visitorsOfToday: 100_000,
  audit: 1_000_000,
  dailyResults: 1_000_000,
  sessions: 100_000,
  browsers: 200_000,
  personEvents: 200_000,
  guesses: 100_000,
  networks: 100_000,
  idempotency: 500_000,
  refusals: 100_000,
  running: 500,
  kept: 5_000,
  renewable: 50_000,
  paces: 20_000,
  domainFacts: 500_000,
  lists: 15_000,
  drafts: 2_000,
  apps: 5_000,
  tokens: 200_000,
  codes: 5_000,
} as const;

export type Counts = Readonly<Record<keyof typeof FULL, number>>;

/** So few that every statement still finds its row, and as many callbacks as one claim takes. */
const FEWEST = 40;
const FEWEST_DUE = 200;

export const countsAt = (scale: number): Counts =>
  Object.fromEntries(
    Object.entries(FULL).map(([name, full]) => [
      name,
      Math.max(name === 'dueCallbacks' ? FEWEST_DUE : FEWEST, Math.round(full * scale)),
    ]),
  ) as Counts;

/** The rows of each open batch, of each batch with a due callback, and of each other one with results. */
const ROWS = { open: 20, due: 10, kept: 75 };
/** The rows of the one batch whose results are searched. */
export const SEARCHED_ROWS = 1_000;

/** The accounts of a batch each that a worker claims from at once. */
export const SHARERS = Array.from({ length: 10 }, (_, index) => 21 + index);

export const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
export const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

export const accountId = (number: number): string => `acc_${md5(`account ${number}`).slice(0, 24)}`;
export const personId = (number: number): string => `per_${md5(`account ${number}`).slice(0, 24)}`;
export const keyId = (number: number): string => `key_${md5(`key ${number}`).slice(0, 24)}`;
export const paymentId = (name: string): string => uuidOf(`payment ${name}`);
export const batchId = (name: string): string => md5(`batch ${name}`).slice(0, 24);
export const listId = (name: string): string => md5(`list ${name}`).slice(0, 24);
export const clientId = (number: number): string => `app_${md5(`app ${number}`).slice(0, 24)}`;
export const processId = (number: number): string => uuidOf(`process ${number}`);
export const uuidOf = (text: string): string =>
  md5(text).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/** The same in SQL. */
const account = (number: string) => `'acc_' || substr(md5('account ' || ${number}), 1, 24)`;
const person = (number: string) => `'per_' || substr(md5('account ' || ${number}), 1, 24)`;
const key = (number: string) => `'key_' || substr(md5('key ' || ${number}), 1, 24)`;
const batch = (kind: string, number: string) => `substr(md5('batch ${kind} ' || ${number}), 1, 24)`;
const list = (kind: string, number: string) => `substr(md5('list ${kind} ' || ${number}), 1, 24)`;
const app = (number: string) => `'app_' || substr(md5('app ' || ${number}), 1, 24)`;
const digest = (text: string) => `sha256(convert_to(${text}, 'UTF8'))`;

/** One of so many, the same for the same number. */
const oneOf = (count: number, number: string) =>
  `(1 + (hashint8(${number})::bigint + 2147483648) % ${count})`;
/** Every tenth row belongs to the first account. */
const anyAccount = (counts: Counts, number: string) =>
  account(`(case when ${number} % 10 = 0 then 1 else ${oneOf(counts.accounts, number)} end)::text`);

/** Without spaces, as the service stores it and searches it. */
/** The result of the address at `place`. */
export const RESULT = `replace(json_build_object(
  'accept_all', false, 'did_you_mean', null, 'disposable', false, 'domain', 'shop-' || place % 50 || '.example',
  'email', 'person-' || place || '@shop-' || place % 50 || '.example', 'first_name', null, 'free', false,
  'full_name', null, 'gender', null, 'last_name', null, 'mailbox_full', false,
  'mx_record', 'mx.shop-' || place % 50 || '.example', 'no_reply', false, 'reason', 'accepted_email',
  'role', false, 'score', 100, 'smtp_provider', null, 'state', 'deliverable', 'tag', null, 'user', 'person-' || place
)::text, ' : ', ':')::json`;
export const ADDRESS = `to_json('person-' || place || '@shop-' || place % 50 || '.example')`;

/** Called with what is being filled. */
export type Progress = (what: string) => void;

/** @param client of a user who may set `session_replication_role`, on a migrated database without accounts */
export async function fillHistory(
  client: pg.ClientBase,
  scale: number,
  onStep: Progress = () => {},
): Promise<void> {
  const counts = countsAt(scale);
  const run = async (what: string, ...statements: string[]) => {
    onStep(what);
    for (const statement of statements) await client.query(statement);
  };
  await client.query(`set statement_timeout = 0; set work_mem = '128MB'; set maintenance_work_mem = '256MB'`);
  await run('accounts', ...accounts(counts));
  await run('keys', ...keys(counts));
  await quickly(client, ['ledger', 'ledger_days', 'visitors'], async () => {
    await run('ledger', ...ledger(counts));
    await run('visitors', ...visitors(counts));
  });
  await run('notices', ...notices(counts));
  await run('payments', ...payments(counts));
  await run('people', ...people(counts));
  await run('verifications', ...verifications(counts));
  await run('batches', ...batches(counts));
  await run('addresses', ...addresses(counts));
  await run('callbacks', ...callbacks(counts));
  await run('lists', ...lists(counts));
  await run('apps', ...apps(counts));
  await run('statistics', 'vacuum analyze');
}

/** Fills tables without their triggers, and builds their indexes afterwards. */
async function quickly(client: pg.ClientBase, tables: readonly string[], fill: () => Promise<void>) {
  const { rows: indexes } = await client.query<{ name: string; text: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as text from pg_index
     where indrelid = any($1::regclass[]) and not exists (select from pg_constraint where conindid = indexrelid)`,
    [tables],
  );
  await client.query('set session_replication_role = replica');
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  await fill();
  for (const { text } of indexes) await client.query(text);
  await client.query('set session_replication_role = default');
}

/** The first account has a bit of everything, and most of what one account can have. */
const accounts = ({ accounts }: Counts) => [
  `insert into accounts (id, owner_email, email_key, callback_secret, created_at)
   select ${account('number::text')}, 'owner-' || number || '@shop.example', 'owner-' || number || '@shop.example',
     'whsec_' || md5('secret ' || number), now() - number % 800 * interval '1 day'
   from generate_series(1, ${accounts}) as number`,
  `insert into persons (id, email, email_key, password_hash, created_at)
   select ${person('number::text')}, 'owner-' || number || '@shop.example', 'owner-' || number || '@shop.example',
     'hash', now() - number % 800 * interval '1 day'
   from generate_series(1, ${accounts}) as number`,
  // Each owns an account, and is a viewer of the next one.
  `insert into members (account_id, person_id, role)
   select ${account('(number + step)::text')}, ${person('number::text')}, case step when 0 then 'owner' else 'viewer' end
   from generate_series(1, ${accounts} - 1) as number, generate_series(0, 1) as step`,
  // As many as an account may have, of the first one and of a tenth of the others.
  `insert into invitations (id, account_id, email, email_key, role, digest, inviter_id, created_at, expires_at)
   select 'inv_' || substr(md5('invitation ' || n), 1, 24), ${account('owner::text')}, n || '@guest.example',
     n || '@guest.example', 'viewer', sha256(('invitation ' || n)::bytea), ${person('owner::text')},
     now() - interval '1 day', now() + n % 7 * interval '1 day'
   from (
     select row_number() over () as n, owner from generate_series(1, ${accounts} - 1, 10) as owner,
       generate_series(1, 100)
   ) as numbered`,
  `insert into sign_in_links (person_id, digest, created_at, expires_at)
   select ${person('number::text')}, sha256(('link ' || number)::bytea), now() - interval '1 minute',
     now() + interval '9 minutes'
   from generate_series(1, ${accounts}, 10) as number`,
  `insert into rates (account_id, endpoint, started_at, count) select id, 'verify', now(), 1 from accounts`,
  `insert into processes (id, alive_at)
   select md5('process ' || number)::uuid, now() + interval '1 day' from generate_series(1, 4) as number`,
];

/**
 * Each account has a notice URL. Of ten, one is to be looked at. Of a hundred, one is told now, one later, and one was
 * given up.
 */
const notices = ({ accounts }: Counts) => [
  `insert into notices (account_id, url, look_at)
   select ${account('number::text')}, 'https://shop.example/low',
     now() + (case when number % 10 = 2 then -1 else 1 end) * interval '1 hour'
   from generate_series(1, ${accounts}) as number`,
  `update notices set told_at = now() - interval '2 hours', available = 1, needed = 2, days_left = 1,
     message_id = 'msg_' || md5(number::text), attempt = 1, tried_at = now() - interval '1 hour',
     error = 'The receiver answered with 500.', is_retry = true,
     due_at = case number % 100 when 3 then now() - interval '1 second' when 4 then now() + interval '1 hour' end,
     given_up_at = case number % 100 when 5 then now() end
   from generate_series(1, ${accounts}) as number
   where account_id = ${account('number::text')} and number % 100 in (3, 4, 5)`,
];

/** A third of the open payments is due. Of the others, a few are being tried. */
const payments = (counts: Counts) => [
  `insert into payments (id, account, needed, asked_at, tries, outcome, credits, ended_at)
   select md5('payment ended ' || number)::uuid::text, ${anyAccount(counts, 'number')}, 100,
     now() - number * (interval '390 days' / ${counts.payments}), 1, 'credited', 100, now()
   from generate_series(1, ${counts.payments}) as number`,
  `insert into payments (id, account, needed, tries, process_id, next_try_at)
   select md5('payment ' || case when is_tried then 'tried ' else 'open ' end || number)::uuid::text,
     ${account('number::text')}, 100, 3, case when is_tried then md5('process 1')::uuid end,
     now() + case when number % 3 = 0 then interval '-1 minute' else interval '1 hour' end
   from (
     select number, number % 30 = 2 as is_tried from generate_series(1, ${counts.openPayments}) as number
   ) as each where number <> 11`,
  `insert into credit_references (reference, account_id, amount)
   select 'reference ' || number, ${anyAccount(counts, 'number')}, 5
   from generate_series(1, ${counts.references}) as number`,
  `insert into key_spending (key_id, account_id, day, spent)
   select id, account_id, (now() at time zone 'UTC')::date, 10 from keys where kind = 'public' and mode = 'live'`,
];

const keys = ({ keys, accounts, refusals }: Counts) => [
  `insert into keys (id, account_id, kind, mode, name, trusted_domains, created_at, revoked_at, last_used_at)
   select ${key('number::text')}, ${account(`(1 + number % ${accounts})::text`)},
     case when number % 2 = 0 then 'public' else 'private' end, case when number % 5 = 0 then 'test' else 'live' end,
     'Key ' || number,
     case when number % 2 = 0 then array['shop-' || number || '.example'] else '{}' end,
     now() - number % 800 * interval '1 day',
     case when number % 7 = 0 then now() - number % 90 * interval '1 day' end,
     now() - number % 90 * interval '1 minute'
   from generate_series(1, ${keys}) as number`,
  // The first account has replaced its keys for years.
  `insert into keys (id, account_id, kind, mode, name, created_at, revoked_at)
   select ${key(`'own ' || number`)}, ${account(`'1'`)}, 'private', 'live', 'Own key ' || number, now(),
     case when number > 40 then now() - number * interval '1 day' end
   from generate_series(1, 300) as number`,
  `insert into key_values (digest, key_id, last4) select ${digest('id')}, id, '0000' from keys`,
  `insert into key_values (digest, key_id, last4, expires_at)
   select ${digest(`'old ' || id`)}, id, '1111', now() + case when number % 2 = 0 then 1 else -1 end * interval '1 hour'
   from (select id, row_number() over () as number from keys) as numbered where number % 10 = 0`,
  `insert into key_refusals (key_id, reason, seen_from, count, first_at, last_at)
   select ${key(`${oneOf(keys, 'number')}::text`)}, 'origin', 'https://page-' || number || '.example', 3,
     now() - interval '29 days', now() - number % 29 * interval '1 day'
   from generate_series(1, ${refusals}) as number`,
];

/** Every fifth row belongs to the first account. A few of its rows are payments, most of them long ago. */
const ledger = ({ ledger, accounts }: Counts) => [
  `insert into ledger (account_id, at, amount, why, "of", balance)
   select ${account('owner::text')}, now() - (${ledger} - number) * (interval '390 days' / ${ledger}),
     amount, why, subject, sum(amount) over (partition by owner order by number)
   from (
     select number, owner, case
         when number <= ${accounts} then 1000000 when number % 30 = 0 then 1
         when owner = 1 and number < ${Math.ceil(ledger / 10)} and number % 1001 = 0 then 100 else -1
       end as amount, case
         when number <= ${accounts} then 'top-up' when number % 30 = 0 then 'refund'
         when owner = 1 and number < ${Math.ceil(ledger / 10)} and number % 1001 = 0 then 'billing' else 'verification'
       end as why, case when number > ${accounts} then md5('verification ' || number)::uuid::text end as subject
     from (
       select number, case
           when number <= ${accounts} then number when number % 5 = 0 then 1 else ${oneOf(accounts, 'number')}
         end as owner
       from generate_series(1, ${Math.max(ledger, accounts)}::bigint) as number
     ) as numbered
   ) as changes order by number`,
  `insert into ledger_days (account_id, day, why, amount, count, first_id, last_id)
   select account_id, (at at time zone 'UTC')::date, why, sum(amount), count(*), min(id), max(id)
   from ledger group by 1, 2, 3`,
  // What was closed before: a month of each account, and years of the first one.
  `insert into ledger_months (account_id, month, why, amount, count)
   select id, date_trunc('month', now() - interval '15 months')::date, why, 10, 10
   from accounts, unnest(array['top-up', 'verification']) as why`,
  `insert into ledger_months (account_id, month, why, amount, count)
   select ${account(`'1'`)}, (date_trunc('month', now()) - number * interval '1 month')::date, why, 10, 10
   from generate_series(16, 50) as number, unnest(array['top-up', 'verification', 'refund']) as why`,
  `update accounts set available_credits = credits from (
     select account_id, sum(amount) as credits from (
       select account_id, amount from ledger union all select account_id, amount from ledger_months
     ) as changes group by 1
   ) as sums where account_id = id`,
];

const visitors = ({ visitors, visitorsOfToday, keys }: Counts) =>
  [
    [visitors, `(now() at time zone 'UTC')::date - 1`],
    [visitorsOfToday, `(now() at time zone 'UTC')::date`],
  ].map(
    ([count, day]) => `insert into visitors (key_id, day, network, addresses)
      select ${key(`(2 * ${oneOf(Math.floor(keys / 2), 'number')})::text`)}, ${day},
        host('10.0.0.0'::inet + number), array[substr(${digest('number::text')}, 1, 16)]
      from generate_series(1, ${count}) as number`,
  );

const people = (counts: Counts) => [
  `insert into sessions (id, person_id, account_id, chosen_account_id, created_at, expires_at, seen_at, idle_at, user_agent)
   select ${digest(`'session ' || number`)}, ${person('owner')}, ${account('owner')}, ${account('owner')},
     now() - interval '1 day', now() + interval '1 day' + number * interval '1 second',
     now() - number % 1000 * interval '1 minute', now() + interval '1 hour' + number * interval '1 second',
     'Mozilla/5.0'
   from generate_series(1, ${counts.sessions}) as number, lateral (
     select (case when number <= 90 then 1 else ${oneOf(counts.accounts, 'number')} end)::text as owner
   ) as owners`,
  `insert into authenticator_apps (id, person_id, secret, last_step, confirmed_at)
   select 'totp_' || substr(id, 5), id, 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', 0, now() from persons`,
  `insert into passkeys (id, person_id, public_key, counter, transports, name, challenged_at)
   select 'passkey-' || number || '-' || substr(id, 5), id, ${digest(`'public key'`)}, 0, '{internal}', 'Laptop', now()
   from persons, generate_series(1, 2) as number`,
  `insert into recovery_codes (digest, person_id)
   select ${digest(`'code ' || number || id`)}, id from persons, generate_series(1, 10) as number`,
  `insert into half_sign_ins (id, person_id, password_digest, expires_at)
   select ${digest(`'half ' || id`)}, id, ${digest(`'hash'`)}, now() + interval '10 minutes' from persons`,
  `insert into known_browsers (person_id, id, user_agent, network, used_at)
   select ${person(`(case when number <= 90 then 1 else ${oneOf(counts.accounts, 'number')} end)::text`)},
     ${digest(`'browser ' || number`)}, 'Mozilla/5.0', '192.0.2.1', now() - number % 360 * interval '1 day'
   from generate_series(1, ${counts.browsers}) as number`,
  `insert into person_events (person_id, event, actor_kind, created_at, dismissed_at)
   select ${person(`(case when number <= 900 then 1 else ${oneOf(counts.accounts, 'number')} end)::text`)},
     'code.used', 'operator', now() - number % 360 * interval '1 day', case when number % 10 > 0 then now() end
   from generate_series(1, ${counts.personEvents}) as number`,
  `insert into guesses (subject, wrong, guessed_at)
   select ${digest(`'guess ' || number`)}, 1, now() - number % 50 * interval '1 minute'
   from generate_series(1, ${counts.guesses}) as number`,
  `insert into network_counts (name, network, count, ends_at)
   select 'unknown keys', '10.' || number / 65536 || '.' || number / 256 % 256 || '.' || number % 256, 1 + number % 101,
     now() + (number % 120 - 60) * interval '1 second'
   from generate_series(1, ${counts.networks}) as number`,
  `insert into audit (account_id, at, actor, actor_name, action, subject_id, subject_name)
   select ${anyAccount(counts, 'number')}, now() - (${counts.audit} - number) * (interval '390 days' / ${counts.audit}),
     'owner', 'owner@shop.example', case
       when number <= 1000 and number % 10 = 0 then 'app.create' when number % 3 = 0 then 'key.change' else 'batch.create'
     end, 'subject ' || number, 'list-' || number || '.csv'
   from generate_series(1, ${counts.audit}) as number`,
  `insert into daily_results (account_id, day, source, mode, reason, count)
   select ${account(`'1'`)}, (now() at time zone 'UTC')::date - day, source, 'live', reason, 1000
   from generate_series(0, 390) as day, (values ('verify'), ('batch')) as sources (source),
     (values ('accepted_email'), ('rejected_email'), ('invalid_domain'), ('timeout')) as reasons (reason)`,
  `insert into daily_results (account_id, day, source, mode, reason, count)
   select ${account(`(2 + ${oneOf(counts.accounts - 2, 'number')})::text`)},
     (now() at time zone 'UTC')::date - number % 390, 'verify', 'live', 'accepted_email', 5
   from generate_series(1, ${counts.dailyResults}) as number on conflict do nothing`,
  `insert into idempotency (account_id, mode, route, key, request, status, body, process_id, created_at)
   select ${anyAccount(counts, 'number')}, case when number % 50 = 0 or number % 20 = 1 then 'test' else 'live' end, '/v1/verify',
     'key ' || number, ${digest('number::text')}, 200, '{"email":"person-' || number || '@shop.example"}',
     md5('process 1')::uuid,
     now() - number * (interval '23 hours' / ${counts.idempotency}) - hashint8(number) % 1000 * interval '1 microsecond'
   from generate_series(1, ${counts.idempotency}) as number`,
];

const verifications = (counts: Counts) => [
  `insert into verifications (id, account_id, question, process_id, state, is_promised, outcome, expires_at)
   select md5(state || number)::uuid, ${anyAccount(counts, 'number')}, ${digest(`state || number`)},
     md5('process ' || 1 + number % 4)::uuid, state, state = 'kept',
     case state when 'kept' then ${digest(`'outcome'`)} end, now() + interval '1 hour'
   from (
     select 'running' as state, number from generate_series(1, ${counts.running}) as number
     union all select 'kept', number from generate_series(1, ${counts.kept}) as number
   ) as each`,
  `insert into renewable_results (id, account_id, question, outcome, expires_at)
   select ${digest(`'renewable' || number`)}, ${anyAccount(counts, 'number')}, ${digest(`'question' || number`)},
     ${digest(`'outcome'`)}, now() + number * (interval '1 hour' / ${counts.renewable})
   from generate_series(1, ${counts.renewable}) as number`,
  ...paces(counts),
  `insert into domain_facts (domain, organisation, learnt_at, accepts_all, server, code, until)
   select 'company-' || number || '.example', 'mx-' || number % 1000 || '.example', now(), number % 3 = 0,
     'mx.example', 250, now() + (1 + number % 7) * interval '1 day'
   from generate_series(1, ${counts.domainFacts}) as number`,
  `insert into conversations (id, organisation, process_id, begun_after, begun_at)
   select md5('conversation ' || number)::uuid, 'mx-' || number || '.example', md5('process ' || 1 + number % 4)::uuid, 0, now()
   from generate_series(1, 40) as number`,
  `insert into conversation_waits (organisation, process_id, since, in_background, seen_at)
   select 'mx-' || number || '.example', md5('process 2')::uuid, now(), false, now() + interval '1 hour'
   from generate_series(1, 40) as number`,
];

/** The trigger of each row takes a lock until the statement ends, and PostgreSQL has room for some thousands of locks. */
const PACES_AT_ONCE = 1_000;

const paces = (counts: Counts) =>
  Array.from(
    { length: Math.ceil(counts.paces / PACES_AT_ONCE) },
    (_, chunk) => `insert into paces (organisation, seconds, counts, pauses, paused_until, used_at)
   select 'mx-' || number || '.example', array[1], array[1], number % 2,
     case when number % 2 = 1 then now() + interval '5 minutes' end, now() + interval '1 hour'
   from generate_series(${chunk * PACES_AT_ONCE + 1}, ${Math.min(counts.paces, (chunk + 1) * PACES_AT_ONCE)}) as number`,
  );

/** Most open batches belong to the first account. */
const batches = (counts: Counts) => [
  `insert into batches (id, account_id, mode, total, distinct_total, retries, url, created_at, paused_at, name, stored_entries)
   select ${batch('open', 'number')},
     ${account(`(case when number <= ${Math.ceil(counts.openBatches * 0.6)} then 1 else 1 + number % ${counts.accounts} end)::text`)},
     case when number % 20 = 1 then 'test' else 'live' end, ${ROWS.open}, ${ROWS.open}, true, 'https://shop.example/done',
     now() - number * interval '2 seconds', case when number % 20 = 2 then now() end, 'list-' || number || '.csv', ${ROWS.open}
   from generate_series(1, ${counts.openBatches}) as number`,
  `insert into batches (id, account_id, mode, total, distinct_total, retries, stored_entries)
   select ${batch('shared', 'number')}, ${account('number::text')}, 'live', ${ROWS.open}, ${ROWS.open}, true, ${ROWS.open}
   from unnest('{${SHARERS.join()}}'::integer[]) as number`,
  ...[
    { kind: 'due', count: counts.dueCallbacks, from: 0, to: 1, rows: ROWS.due },
    { kind: 'kept', count: counts.keptBatches, from: 1, to: 29, rows: ROWS.kept },
    { kind: 'emptied', count: counts.emptiedBatches, from: 31, to: 390, rows: ROWS.kept },
  ].map(
    ({ kind, count, from, to, rows }) => `insert into batches (
        id, account_id, mode, total, distinct_total, retries, url, created_at, completed_at, expires_at, emptied_at,
        reason_counts, name, stored_entries
      )
      select ${batch(kind, 'number')}, ${anyAccount(counts, 'number')}, 'live', ${rows}, ${rows}, true,
        'https://shop.example/done', at - interval '1 hour', at, at + interval '30 days',
        case when at < now() - interval '30 days' then at + interval '30 days' end,
        jsonb_build_object(case when number % 100 = 0 then 'unexpected_error' else 'accepted_email' end, ${rows}),
        'list-' || number || '.csv', case when at < now() - interval '30 days' then 0 else ${rows} end
      from (
        select number, now() - interval '1 minute' - interval '${from} days'
          - number * (interval '${to - from} days' / ${count}) as at
        from generate_series(1, ${count}) as number
      ) as each`,
  ),
  `insert into batches (
     id, account_id, mode, total, distinct_total, retries, created_at, completed_at, expires_at, reason_counts, name,
     stored_entries, download_name
   ) values (
     '${batchId('searched')}', '${accountId(1)}', 'live', ${SEARCHED_ROWS}, ${SEARCHED_ROWS}, true, now(), now(),
     now() + interval '30 days', '{"accepted_email": ${SEARCHED_ROWS}}', 'searched.csv', ${SEARCHED_ROWS},
     '${'d'.repeat(43)}'
   )`,
  `insert into batch_storage (account_id, mode, entries, open_batches)
   select account_id, mode, sum(stored_entries), count(*) filter (where completed_at is null)
   from batches group by 1, 2`,
];

/** In half of the open batches, every open address waits for its retry. */
const addresses = (counts: Counts) => [
  `insert into batch_rows (batch_id, place, address, turn, process_id, attempt, due_at, reason, result)
   select ${batch('open', 'number')}, place, ${ADDRESS}, place / 4,
     case when place = 10 and number % 100 = 0 then md5('process 1')::uuid end,
     case when place <= 10 then 1 else 0 end,
     case when place >= 10 and number % 100 > 0 and (number % 2 = 0 or place < 12)
       then now() + interval '1 hour' + number * interval '1 second' end,
     case when place < 10 then 'accepted_email' end, case when place < 10 then ${RESULT} end
   from generate_series(1, ${counts.openBatches}) as number, generate_series(0, ${ROWS.open - 1}) as place
   order by number, place`,
  `insert into batch_rows (batch_id, place, address, turn)
   select ${batch('shared', 'number')}, place, ${ADDRESS}, place / 4
   from unnest('{${SHARERS.join()}}'::integer[]) as number, generate_series(0, ${ROWS.open - 1}) as place`,
  ...[
    ['due', counts.dueCallbacks, ROWS.due],
    ['kept', counts.keptBatches, ROWS.kept],
  ].map(
    ([kind, count, rows]) => `insert into batch_rows (batch_id, place, address, turn, attempt, reason, result)
      select ${batch(String(kind), 'number')}, place, ${ADDRESS}, place / 4, 1, 'accepted_email', ${RESULT}
      from generate_series(1, ${count}) as number, generate_series(0, ${Number(rows) - 1}) as place
      order by number, place`,
  ),
  `insert into batch_rows (batch_id, place, address, turn, attempt, reason, result)
   select '${batchId('searched')}', place, ${ADDRESS}, place / 4, 1, 'accepted_email', ${RESULT}
   from generate_series(0, ${SEARCHED_ROWS - 1}) as place`,
  // Workers look at new results twice a second.
  `insert into batch_progress (batch_id, connection, reason, count, duplicates, is_new)
   select ${batch('open', 'number')}, connection, 'accepted_email', 5, 0, connection = 1 and number <= 20
   from generate_series(1, ${counts.openBatches}) as number, generate_series(1, 2) as connection`,
  // What was just completed still has its progress.
  `insert into batch_progress (batch_id, connection, reason, count, duplicates, is_new)
   select ${batch('due', 'number')}, connection, 'accepted_email', 5, 0, false
   from generate_series(1, ${Math.min(counts.dueCallbacks, 500)}) as number, generate_series(1, 2) as connection`,
  `insert into batch_marks (batch_id, at, processed)
   select ${batch('open', 'number')}, now() + interval '1 hour' - mark * interval '15 seconds', 10
   from generate_series(1, ${counts.openBatches}) as number, generate_series(1, 20) as mark`,
];

/** Half of the due ones have been tried before. A third of the others were given up. */
const callbacks = (counts: Counts) => [
  `insert into callbacks (batch_id, message_id, due_at, attempt, tried_at, is_retry, is_ready)
   select ${batch('due', 'number')}, 'msg_' || md5('due ' || number)::uuid, now() - number % 3600 * interval '1 second',
     case when number % 2 = 0 then 0 else 3 end, case when number % 2 = 1 then now() - interval '2 hours' end, number % 2 = 1, true
   from generate_series(1, ${counts.dueCallbacks}) as number`,
  ...(['kept', 'emptied'] as const).map(
    (
      kind,
    ) => `insert into callbacks (batch_id, message_id, attempt, tried_at, delivered_at, given_up_at, has_results)
      select ${batch(kind, 'number')}, 'msg_' || md5('${kind} ' || number)::uuid, 3, completed_at,
        case when number % 14 >= 5 then completed_at end, case when number % 14 < 5 then completed_at end,
        emptied_at is null
      from generate_series(1, ${counts[`${kind}Batches`]}) as number join batches on id = ${batch(kind, 'number')}`,
  ),
  `insert into callback_tries (batch_id, number, at, status, error, duration_ms)
   select batch_id, number, tried_at, 500, 'The receiver answered with 500.', 100
   from callbacks, generate_series(1, attempt) as number where delivered_at is null`,
  `insert into callback_tries (batch_id, number, at, status, duration_ms)
   select batch_id, attempt, tried_at, 200, 100 from callbacks where delivered_at is not null`,
];

const lists = (counts: Counts) => [
  `insert into lists (id, account_id, batch_id, name, header, columns, row_count, address_column)
   select ${list('kept', 'number')}, account_id, batches.id, batches.name, '["Name","Email"]', 2, ${ROWS.kept}, 1
   from generate_series(1, ${Math.min(counts.lists, counts.keptBatches)}) as number
     join batches on id = ${batch('kept', 'number')}`,
  `insert into lists (id, account_id, batch_id, name, header, columns, row_count, address_column)
   values ('${listId('searched')}', '${accountId(1)}', '${batchId('searched')}', 'searched.csv', '["Name","Email"]', 2,
     ${SEARCHED_ROWS}, 1)`,
  `insert into lists (id, account_id, name, header, columns, row_count, address_column, ends_at)
   select ${list('draft', 'number')}, ${account(`(case when number <= 4 then 1 else ${oneOf(counts.accounts, 'number')} end)::text`)},
     'draft.csv', '["Name","Email"]', 2, 20, 1, now() + interval '1 day'
   from generate_series(1, ${counts.drafts}) as number`,
  `insert into list_rows (list_id, number, cells, place)
   select id, row, json_build_array('Person ' || row, 'person-' || row || '@shop.example'),
     case when batch_id is not null then row end
   from lists, generate_series(0, least(row_count, case when batch_id = '${batchId('searched')}' then row_count else 20 end) - 1) as row`,
];

/** The first app has a tenth of all tokens. */
const apps = (counts: Counts) => [
  `insert into client_ids (client_id, account_id)
   select ${app('number')}, ${account(`(1 + number % ${counts.accounts})::text`)} from generate_series(1, ${2 * counts.apps}) as number`,
  `insert into apps (client_id, account_id, name, secret, allows_device)
   select ${app('number')}, ${account(`(case when number <= 10 then 1 else 1 + number % ${counts.accounts} end)::text`)},
     'App ' || number, ${digest(`'secret ' || number`)}, true
   from generate_series(1, ${counts.apps}) as number`,
  `insert into app_redirect_uris (client_id, uri)
   select client_id, 'https://app.example/' || path from apps, generate_series(1, 2) as path`,
  `insert into authorization_codes (digest, client_id, account_id, redirect_uri, expires_at)
   select ${digest(`'code ' || number`)}, ${app(oneOf(counts.apps, 'number'))},
     ${account(`${oneOf(counts.accounts, 'number')}::text`)}, 'https://app.example/1', now() + interval '1 hour'
   from generate_series(1, ${counts.codes}) as number`,
  `insert into device_requests (device_code, user_code, client_id, interval_seconds, expires_at)
   select ${digest(`'device ' || number`)}, ${digest(`'user ' || number`)}, ${app(oneOf(counts.apps, 'number'))}, 5,
     now() + interval '1 hour'
   from generate_series(1, ${counts.codes}) as number`,
  `insert into token_families (handle, client_id, account_id, code, refresh_token, access_token, access_expires_at)
   select ${digest(`'handle ' || number`)},
     ${app(`(case when number % 10 = 1 then 1 else ${oneOf(counts.apps, 'number')} end)`)},
     ${anyAccount(counts, 'number')}, ${digest(`'spent ' || number`)}, ${digest(`'refresh ' || number`)},
     ${digest(`'access ' || number`)}, now() + number % 300 * interval '1 day'
   from generate_series(1, ${counts.tokens}) as number`,
];
