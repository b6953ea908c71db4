/** Secrets that are sealed with a key of the operator's file. */
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // Columns of their own, because the secret of a captcha may be any text. No beginning tells the two forms apart.
  `alter table accounts
     alter callback_secret drop not null,
     add sealed_callback_secret text check (sealed_callback_secret ~ '^[0-9a-f]{16}\\.'),
     add sealed_former_callback_secret text check (sealed_former_callback_secret ~ '^[0-9a-f]{16}\\.'),
     drop constraint accounts_former_secret_ends,
     add constraint accounts_one_secret check (num_nonnulls(callback_secret, sealed_callback_secret) = 1),
     add constraint accounts_former_secret_ends check (
       num_nonnulls(former_callback_secret, sealed_former_callback_secret)
         = num_nonnulls(former_callback_secret_until)
     )`,
  `alter table keys
     add sealed_captcha_secret text check (sealed_captcha_secret ~ '^[0-9a-f]{16}\\.'),
     drop constraint keys_captcha_complete,
     add constraint keys_captcha_complete check (
       num_nonnulls(captcha_secret, sealed_captcha_secret) = num_nonnulls(captcha_provider)
       and (siteverify_url is null or captcha_provider is not null)
     )`,
  // Finds the keys in use at each start. Empty without a key file.
  `create index accounts_sealed on accounts (left(sealed_callback_secret, 16))
     where sealed_callback_secret is not null;
   create index accounts_sealed_former on accounts (left(sealed_former_callback_secret, 16))
     where sealed_former_callback_secret is not null;
   create index keys_sealed on keys (left(sealed_captcha_secret, 16)) where sealed_captcha_secret is not null`,
];

/** Makes the columns. Migrations only go forward. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
