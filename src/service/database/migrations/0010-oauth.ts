/** The tables of OAuth. Secrets are stored only as SHA-256. */
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // A public app has no secret.
  `create table apps (
     client_id text primary key check (client_id ~ '^[A-Za-z0-9_-]{10,64}$'),
     account_id text not null references accounts on delete cascade,
     name text not null check (name <> ''),
     secret bytea check (octet_length(secret) = 32),
     allows_device boolean not null,
     created_at timestamptz not null default now()
   );
   create index apps_of_account on apps (account_id);
   create table app_redirect_uris (
     client_id text not null references apps on delete cascade,
     uri text not null,
     primary key (client_id, uri)
   )`,
  // A row is deleted when the code is used. Its tokens keep a reference to the code.
  // The challenge is always in the S256 form, because a plain one would be the verifier itself.
  `create table authorization_codes (
     digest bytea primary key check (octet_length(digest) = 32),
     client_id text not null,
     account_id text not null references accounts on delete cascade,
     redirect_uri text not null,
     challenge text,
     expires_at timestamptz not null,
     constraint authorization_codes_redirect_uri_fkey
       foreign key (client_id, redirect_uri) references app_redirect_uris on delete cascade
   );
   create index authorization_codes_of_app on authorization_codes (client_id, redirect_uri);
   create index authorization_codes_of_account on authorization_codes (account_id);
   create index authorization_codes_by_end on authorization_codes (expires_at)`,
  // One row per grant, with its current pair of tokens. All refresh tokens of a row begin with the same handle. A token
  // with the handle that is not the current refresh token is an old one.
  `create table token_families (
     handle bytea primary key check (octet_length(handle) = 32),
     client_id text not null references apps on delete cascade,
     account_id text not null references accounts on delete cascade,
     code bytea unique check (octet_length(code) = 32),
     refresh_token bytea not null check (octet_length(refresh_token) = 32),
     access_token bytea not null unique check (octet_length(access_token) = 32),
     access_expires_at timestamptz not null,
     created_at timestamptz not null default now(),
     issued_at timestamptz not null default now()
   );
   create index token_families_of_app on token_families (client_id);
   create index token_families_of_account on token_families (account_id, client_id);
   create index token_families_by_end on token_families (access_expires_at)`,
  // A row is deleted when the device gets its tokens.
  `create table device_requests (
     device_code bytea primary key check (octet_length(device_code) = 32),
     user_code bytea not null unique check (octet_length(user_code) = 32),
     client_id text not null references apps on delete cascade,
     state text not null default 'pending' check (state in ('pending', 'allowed', 'denied')),
     account_id text references accounts on delete cascade,
     interval_seconds integer not null check (interval_seconds >= 1),
     polled_at timestamptz,
     expires_at timestamptz not null,
     constraint device_requests_allowed_by_account check ((state = 'allowed') = (account_id is not null))
   );
   create index device_requests_of_app on device_requests (client_id);
   create index device_requests_of_account on device_requests (account_id) where account_id is not null;
   create index device_requests_by_end on device_requests (expires_at)`,
];

/** Makes the tables. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
