/** The tables of accounts, their ledger and keys, limits, and live verifications. */
import { type Kysely, sql } from 'kysely';

/** Each statement creates one table with its indexes. */
const STATEMENTS = [
  // Above 2^53 - 1, JavaScript's numbers are not exact.
  `create table accounts (
     id text primary key,
     owner_email text not null,
     email_key text not null unique,
     password_hash text not null,
     available_credits bigint not null default 0 check (available_credits between 0 and 9007199254740991),
     callback_secret text not null check (callback_secret like 'whsec\\_%'),
     verify_per_second integer check (verify_per_second >= 1),
     batch_per_second integer check (batch_per_second >= 1),
     account_per_second integer check (account_per_second >= 1),
     batch_size integer check (batch_size >= 1),
     created_at timestamptz not null default now()
   )`,
  // clock_timestamp(), because now() is the start of the transaction, which can be older than the previous row.
  `create table ledger (
     id bigint generated always as identity primary key,
     account_id text not null references accounts on delete cascade,
     amount bigint not null check (amount <> 0),
     why text not null check (why in ('top-up', 'verification', 'refund', 'billing', 'batch', 'batch-refund')),
     of text,
     balance bigint not null check (balance >= 0),
     at timestamptz not null default clock_timestamp()
   );
   create unique index ledger_once on ledger (why, of)
     where why in ('verification', 'refund', 'billing', 'batch') and of is not null;
   create index ledger_of_account on ledger (account_id, id desc)`,
  `create table keys (
     id text primary key,
     account_id text not null references accounts on delete cascade,
     kind text not null check (kind in ('public', 'private')),
     mode text not null check (mode in ('test', 'live')),
     name text,
     trusted_domains text[] not null default '{}',
     trusted_ips text[] not null default '{}',
     captcha_provider text check (captcha_provider in ('turnstile', 'hcaptcha', 'recaptcha')),
     captcha_secret text,
     siteverify_url text,
     created_at timestamptz not null default now(),
     revoked_at timestamptz,
     constraint keys_public_has_domain check (kind <> 'public' or cardinality(trusted_domains) > 0),
     constraint keys_captcha_complete check (
       (captcha_provider is null) = (captcha_secret is null)
       and (siteverify_url is null or captcha_provider is not null)
     )
   );
   create index keys_of_account on keys (account_id);
   create index keys_trusted_domains on keys using gin (trusted_domains)
     where kind = 'public' and revoked_at is null`,
  `create table key_values (
     digest bytea primary key check (octet_length(digest) = 32),
     key_id text not null references keys on delete cascade,
     last4 text not null check (length(last4) <= 4),
     created_at timestamptz not null default now(),
     expires_at timestamptz
   );
   create index key_values_of_key on key_values (key_id);
   create unique index key_values_one_current on key_values (key_id) where expires_at is null`,
  `create table processes (
     id uuid primary key,
     started_at timestamptz not null default now(),
     alive_at timestamptz not null default now()
   )`,
  `create table verifications (
     id uuid primary key,
     account_id text not null references accounts on delete cascade,
     question bytea not null check (octet_length(question) = 32),
     process_id uuid not null,
     state text not null check (state in ('running', 'kept')),
     is_joined boolean not null default false,
     is_promised boolean not null default false,
     started_at timestamptz not null default now(),
     expires_at timestamptz not null,
     outcome bytea,
     constraint verifications_kept_has_outcome check ((state = 'kept') = (outcome is not null))
   );
   create unique index verifications_once on verifications (account_id, question) where state = 'running' or is_promised;
   create index verifications_of_account on verifications (account_id);
   create index verifications_running on verifications (process_id) where state = 'running';
   create index verifications_kept on verifications (expires_at) where state = 'kept'`,
  // Without a reference to accounts, because a request that arrives while its account is deleted must not fail here.
  `create unlogged table rates (
     account_id text not null,
     endpoint text not null,
     started_at timestamptz not null,
     count integer not null check (count >= 1),
     primary key (account_id, endpoint)
   )`,
  `create table visitors (
     key_id text not null references keys on delete cascade,
     day date not null,
     network text not null,
     addresses bytea[] not null,
     primary key (key_id, day, network)
   );
   create index visitors_by_day on visitors (day)`,
  `create table idempotency (
     account_id text not null references accounts on delete cascade,
     key text not null,
     request bytea not null check (octet_length(request) = 32),
     status integer,
     body text,
     process_id uuid not null,
     created_at timestamptz not null default now(),
     primary key (account_id, key),
     constraint idempotency_response_complete check ((status is null) = (body is null))
   );
   create index idempotency_by_age on idempotency (created_at)`,
];

/** Makes the tables. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
