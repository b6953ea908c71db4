/** Prepares the database at the start: checks the server's version and settles the schema. */
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { connectionOptions, type Limits, limitSession, type Server, UNLIMITED } from './connection.ts';
import { DatabaseError } from './database-error.ts';
import { type SchemaRule, settleSchema } from './migrate.ts';
import { refusePooledTransactions } from './refuse-pooled-transactions.ts';
import { checkSecretsKeys } from './reseal.ts';
import type { Waiting } from './schema-lock.ts';
import type { Secrets } from './secrets.ts';
import { isUnavailable, type Trouble, troubleOf } from './unavailable.ts';

const OLDEST_VERSION = 15;

/** The server's permanent refusals by SQLSTATE, with advice for the operator. */
const REFUSALS: Readonly<Record<string, string>> = {
  '28P01': 'refuses the user or the password. Correct them in the database URL.',
  '28000': "refuses the user. Correct the user in the database URL, or the server's pg_hba.conf.",
  '3D000': 'does not have this database. Create it, or correct its name in the database URL.',
  '42501': 'does not let this user create tables. Make the user the owner of the database.',
};

const TROUBLES: Readonly<Record<Exclude<Trouble, 'away'>, string>> = {
  full: 'has no space left on its disk. Make space.',
  limit: 'took too long. Check its load and its locks.',
};

/**
 * Checks the version of the server, settles the schema, and checks that the keys of the stored secrets are there.
 *
 * @param what the server in one line, for messages @throws {DatabaseError} if another try would fail too. Other errors
 * mean that the database cannot be reached
 */
export async function prepareDatabase(
  server: Server,
  what: string,
  rule: SchemaRule,
  secrets: Secrets,
  waiting: Waiting,
): Promise<void> {
  try {
    await refusePooledTransactions(server, what);
    await withConnection(server, {}, async (db) => {
      const { rows } = await sql<{ version: number }>`
        select current_setting('server_version_num')::integer as version
      `.execute(db);
      checkVersion(rows[0]!.version, what);
    });
    await withConnection(server, UNLIMITED, async (db) => {
      await settleSchema(db, rule, waiting);
      // An older schema may have no such columns, and a command that takes one uses no secret.
      if (rule === 'migrate' || rule === 'require') await checkSecretsKeys(db, secrets);
    });
  } catch (error) {
    throw refusalOf(error, what) ?? error;
  }
}

async function withConnection(
  server: Server,
  limits: Limits,
  use: (db: Kysely<unknown>) => Promise<unknown>,
) {
  const pool = new pg.Pool({ ...connectionOptions(server, limits), max: 1 });
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    client.on('error', () => {});
    limitSession(client, limits);
  });
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  try {
    await use(db);
  } finally {
    // Not awaited, because a hanging server would delay the next attempt.
    void db.destroy().catch(() => {});
  }
}

/**
 * Refuses a server that is too old.
 *
 * @param version PostgreSQL's `server_version_num`, such as 150018 for 15.18
 */
export function checkVersion(version: number, what: string): void {
  const major = Math.floor(version / 10_000);
  if (major >= OLDEST_VERSION) return;
  throw new DatabaseError(
    `Expected PostgreSQL ${OLDEST_VERSION} or later at ${what}, got ${major}. Upgrade the server.`,
  );
}

/** The error for an operator whose command does not wait for the database. */
export function unreachable(error: unknown, what: string): DatabaseError {
  const { code } = error as { code?: string };
  if (code === '53300')
    return new DatabaseError(
      `The server of ${what} has no free connection. Stop a program that uses it, or raise max_connections.`,
      { cause: error },
    );
  const trouble = troubleOf(error);
  if (trouble !== 'away')
    return new DatabaseError(`The database ${what} ${TROUBLES[trouble]}`, { cause: error });
  return new DatabaseError(
    `The database ${what} cannot be reached. Check that its server runs, and that the host and port are right.`,
    { cause: error },
  );
}

/** The error for the operator, or undefined if a later attempt can succeed. */
function refusalOf(error: unknown, what: string): DatabaseError | undefined {
  if (error instanceof DatabaseError) return error;
  const { code = '', message = '' } = error as { code?: string; message?: string };
  const refusal = REFUSALS[code];
  if (refusal) return new DatabaseError(`The server of ${what} ${refusal}`, { cause: error });
  if (isUnavailable(error)) return undefined;
  // No message of the server or of `pg` contains the password.
  const reason = message.split('\n')[0];
  return new DatabaseError(`The database ${what} cannot be used: ${reason}.`, { cause: error });
}
