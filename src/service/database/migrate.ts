/** Brings the schema of the database up to date. */
import { type Kysely, type QueryExecutorProvider, sql } from 'kysely';
import { silentLog } from '../core/log.ts';
import { DatabaseError } from './database-error.ts';
import type { SchemaMigration } from './migration.ts';
import * as accounts from './migrations/0001-accounts.ts';
import * as liveVerifications from './migrations/0002-live-verifications.ts';
import * as pacing from './migrations/0003-pacing.ts';
import * as outcomesOnDemand from './migrations/0004-outcomes-on-demand.ts';
import * as batches from './migrations/0005-batches.ts';
import * as batchQueue from './migrations/0006-batch-queue.ts';
import * as downloads from './migrations/0007-downloads.ts';
import * as callbacks from './migrations/0008-callbacks.ts';
import * as fairness from './migrations/0009-fairness.ts';
import * as oauth from './migrations/0010-oauth.ts';
import * as sessions from './migrations/0011-sessions.ts';
import * as resumed from './migrations/0012-resumed.ts';
import * as dashboard from './migrations/0013-dashboard.ts';
import * as storage from './migrations/0014-storage.ts';
import * as idempotencyScope from './migrations/0015-idempotency-scope.ts';
import * as identity from './migrations/0016-identity.ts';
import * as sealedSecrets from './migrations/0017-sealed-secrets.ts';
import * as payments from './migrations/0018-payments.ts';
import * as setBased from './migrations/0019-set-based-verifications.ts';
import * as spendingChecked from './migrations/0019-spending-checked.ts';
import * as verificationsIndex from './migrations/0019-verifications-index.ts';
import * as leases from './migrations/0020-leases.ts';
import * as turns from './migrations/0021-batch-turns.ts';
import * as turnTriggers from './migrations/0021-batch-turns-kept.ts';
import * as newProgress from './migrations/0021-new-progress.ts';
import { newProgressIndex } from './migrations/0021-new-progress-index.ts';
import * as queuedBatches from './migrations/0021-queued-batches.ts';
import * as history from './migrations/0022-history.ts';
import * as historyIndexes from './migrations/0022-history-indexes.ts';
import * as ends from './migrations/0023-ends.ts';
import * as endsChecked from './migrations/0023-ends-checked.ts';
import * as endsIndexes from './migrations/0023-ends-indexes.ts';
import * as books from './migrations/0024-books.ts';
import * as booksOpened from './migrations/0024-books-opened.ts';
import * as historyRest from './migrations/0026-history-rest.ts';
import * as pausedOfAccount from './migrations/0026-paused-of-account.ts';
import * as testBatches from './migrations/0026-test-batches.ts';
import * as notices from './migrations/0030-notices.ts';
import * as cheaperPacing from './migrations/0032-cheaper-pacing.ts';
import * as pageIndexes from './migrations/0038-page-indexes.ts';
import * as countedRequests from './migrations/0041-counted-requests.ts';
import * as leftOutRows from './migrations/0042-left-out-rows.ts';
import { poisonIndex } from './migrations/0043-poison-index.ts';
import * as domainFacts from './migrations/0044-domain-facts.ts';
import * as batchesAcceptAll from './migrations/0045-batches-accept-all.ts';
import * as acceptAllCounted from './migrations/0046-accept-all-counted.ts';
import * as verificationsOneByOne from './migrations/0047-verifications-one-by-one.ts';
import * as joinedChanges from './migrations/0050-joined-changes.ts';
import { conversationsByAge } from './migrations/0051-conversations-by-age.ts';
import * as pacingInPlace from './migrations/0052-pacing-in-place.ts';
import * as proofKeys from './migrations/0053-proof-keys.ts';
import * as renewableResults from './migrations/0054-renewable-results.ts';
import * as sheets from './migrations/0057-sheets.ts';
import * as sheetRows from './migrations/0058-sheet-rows.ts';
import * as severalColumns from './migrations/0059-several-columns.ts';
import * as severalPlaces from './migrations/0060-several-places.ts';
import * as endsOfDrafts from './migrations/0061-ends-of-drafts.ts';
import { draftsByEnd } from './migrations/0062-drafts-by-end.ts';
import * as waitsByAge from './migrations/0064-waits-by-age.ts';
import { suspectedProcesses } from './migrations/0065-suspected-processes.ts';
import * as aliveByLock from './migrations/0066-alive-by-lock.ts';
import * as filesOfDrafts from './migrations/0067-files-of-drafts.ts';
import * as forecasts from './migrations/0068-forecasts.ts';
import * as samplesOfLists from './migrations/0069-samples-of-lists.ts';
import * as persons from './migrations/0070-persons.ts';
import { personsKept } from './migrations/0070-persons-kept.ts';
import * as sessionsOfPersons from './migrations/0071-sessions.ts';
import { sessionsIndexes } from './migrations/0071-sessions-indexes.ts';
import { sessionsKept } from './migrations/0071-sessions-kept.ts';
import * as passwords from './migrations/0072-passwords.ts';
import { passwordsMoved } from './migrations/0072-passwords-moved.ts';
import * as authenticatorApps from './migrations/0073-authenticator-apps.ts';
import * as passkeys from './migrations/0074-passkeys.ts';
import * as recoveryCodes from './migrations/0075-recovery-codes.ts';
import * as halfSignIns from './migrations/0076-half-sign-ins.ts';
import * as identities from './migrations/0077-identities.ts';
import * as providerSessions from './migrations/0078-provider-sessions.ts';
import * as invitations from './migrations/0079-invitations.ts';
import * as signInLinks from './migrations/0080-sign-in-links.ts';
import * as knownBrowsers from './migrations/0081-known-browsers.ts';
import * as sessionsOfBrowsers from './migrations/0082-sessions.ts';
import { sessionsIdle } from './migrations/0082-sessions-idle.ts';
import * as personEvents from './migrations/0083-person-events.ts';
import * as makersOfKeys from './migrations/0084-makers-of-keys.ts';
import * as makersOfBatches from './migrations/0085-makers-of-batches.ts';
import * as makersOfLists from './migrations/0086-makers-of-lists.ts';
import * as personsOfCodes from './migrations/0087-persons-of-codes.ts';
import * as personsOfDevices from './migrations/0087-persons-of-devices.ts';
import * as personsOfTokens from './migrations/0087-persons-of-tokens.ts';
import { personsOfTokensKept } from './migrations/0087-persons-of-tokens-kept.ts';
import { nameConnection, type Waiting, waitFor, withSchemaLock } from './schema-lock.ts';

type Migrations = Readonly<Record<string, SchemaMigration>>;

/** Every migration by its name, in their order, imported statically so that the bundle contains it. */
export const MIGRATIONS: Migrations = {
  '0001-accounts': accounts,
  '0002-live-verifications': liveVerifications,
  '0003-pacing': pacing,
  '0004-outcomes-on-demand': outcomesOnDemand,
  '0005-batches': batches,
  '0006-batch-queue': batchQueue,
  '0007-downloads': downloads,
  '0008-callbacks': callbacks,
  '0009-fairness': fairness,
  '0010-oauth': oauth,
  '0011-sessions': sessions,
  '0012-resumed': resumed,
  '0013-dashboard': dashboard,
  '0014-storage': storage,
  '0015-idempotency-scope': idempotencyScope,
  '0016-identity': identity,
  '0017-sealed-secrets': sealedSecrets,
  '0018-payments': payments,
  '0019-set-based-verifications': setBased,
  '0019-spending-checked': spendingChecked,
  '0019-verifications-index': verificationsIndex,
  '0020-leases': leases,
  '0021-batch-turns': turns,
  '0021-batch-turns-kept': turnTriggers,
  '0021-new-progress': newProgress,
  '0021-new-progress-index': newProgressIndex,
  '0021-queued-batches': queuedBatches,
  '0022-history': history,
  '0022-history-indexes': historyIndexes,
  '0023-ends': ends,
  '0023-ends-checked': endsChecked,
  '0023-ends-indexes': endsIndexes,
  '0024-books': books,
  '0024-books-opened': booksOpened,
  '0026-history-rest': historyRest,
  '0026-paused-of-account': pausedOfAccount,
  '0026-test-batches': testBatches,
  '0030-notices': notices,
  '0032-cheaper-pacing': cheaperPacing,
  '0038-page-indexes': pageIndexes,
  '0041-counted-requests': countedRequests,
  '0042-left-out-rows': leftOutRows,
  '0043-poison-index': poisonIndex,
  '0044-domain-facts': domainFacts,
  '0045-batches-accept-all': batchesAcceptAll,
  '0046-accept-all-counted': acceptAllCounted,
  '0047-verifications-one-by-one': verificationsOneByOne,
  '0050-joined-changes': joinedChanges,
  '0051-conversations-by-age': conversationsByAge,
  '0052-pacing-in-place': pacingInPlace,
  '0053-proof-keys': proofKeys,
  '0054-renewable-results': renewableResults,
  '0057-sheets': sheets,
  '0058-sheet-rows': sheetRows,
  '0059-several-columns': severalColumns,
  '0060-several-places': severalPlaces,
  '0061-ends-of-drafts': endsOfDrafts,
  '0062-drafts-by-end': draftsByEnd,
  '0064-waits-by-age': waitsByAge,
  '0065-suspected-processes': suspectedProcesses,
  '0066-alive-by-lock': aliveByLock,
  '0067-files-of-drafts': filesOfDrafts,
  '0068-forecasts': forecasts,
  '0069-samples-of-lists': samplesOfLists,
  '0070-persons': persons,
  '0070-persons-kept': personsKept,
  '0071-sessions': sessionsOfPersons,
  '0071-sessions-indexes': sessionsIndexes,
  '0071-sessions-kept': sessionsKept,
  '0072-passwords': passwords,
  '0072-passwords-moved': passwordsMoved,
  '0073-authenticator-apps': authenticatorApps,
  '0074-passkeys': passkeys,
  '0075-recovery-codes': recoveryCodes,
  '0076-half-sign-ins': halfSignIns,
  '0077-identities': identities,
  '0078-provider-sessions': providerSessions,
  '0079-invitations': invitations,
  '0080-sign-in-links': signInLinks,
  '0081-known-browsers': knownBrowsers,
  '0082-sessions': sessionsOfBrowsers,
  '0082-sessions-idle': sessionsIdle,
  '0083-person-events': personEvents,
  '0084-makers-of-keys': makersOfKeys,
  '0085-makers-of-batches': makersOfBatches,
  '0086-makers-of-lists': makersOfLists,
  '0087-persons-of-codes': personsOfCodes,
  '0087-persons-of-devices': personsOfDevices,
  '0087-persons-of-tokens': personsOfTokens,
  '0087-persons-of-tokens-kept': personsOfTokensKept,
};

/** How long a migration waits for a lock. Requests wait behind it, so it must be short beside their time limits. */
const LOCK_TIMEOUT = '2s';

/** The pauses between its tries, in which the requests go on. They double. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Runs the missing migrations, each in a transaction of its own. If several processes call it at once, the first one
 * migrates and the others wait. The version before may run meanwhile.
 *
 * @returns the names of the migrations that this call ran
 * @throws {DatabaseError} if a newer version of the program has migrated the database
 */
export async function migrate<Tables>(
  db: Kysely<Tables>,
  migrations: Migrations = MIGRATIONS,
  waiting: Waiting = {},
): Promise<string[]> {
  return withSchemaLock(db, (connection) => run(connection, migrations, waiting), waiting);
}

/**
 * What the opening of a database does about its schema. `migrate` brings it up to date. `require` refuses an older one,
 * and `tolerate` takes it. These three give an empty database the schema of this version, and refuse a newer one.
 * `leave` does not look at it.
 */
export type SchemaRule = 'migrate' | 'require' | 'tolerate' | 'leave';

/** @throws {DatabaseError} if the rule refuses the schema that is there */
export async function settleSchema<Tables>(
  db: Kysely<Tables>,
  rule: SchemaRule,
  waiting: Waiting = {},
): Promise<void> {
  if (rule === 'leave') return;
  const there = rule === 'migrate' ? [] : await migrationsOf(db);
  if (there.length === 0) {
    await migrate(db, MIGRATIONS, waiting);
    return;
  }
  refuseNewer(there, MIGRATIONS);
  const outdated = rule === 'require' ? sayOutdated(there) : undefined;
  if (outdated !== undefined) throw new DatabaseError(`${outdated} Run migrate.`);
}

/** @param there the names of the database's migrations @returns undefined if none is missing */
export function sayOutdated(there: readonly string[]): string | undefined {
  const names = Object.keys(MIGRATIONS);
  if (names.every((name) => there.includes(name))) return undefined;
  return `Expected a database with the schema ${names.at(-1)}, got one with the older schema ${there.at(-1)}.`;
}

function refuseNewer(there: readonly string[], migrations: Migrations): void {
  const unknown = there.find((name) => !Object.hasOwn(migrations, name));
  if (unknown === undefined) return;
  throw new DatabaseError(
    `The database has migration ${unknown}, which this version does not know. Start the version that made it, or a newer one.`,
  );
}

/**
 * Runs the missing migrations within the connection's transaction. The caller holds the lock, and nobody else can use the
 * tables.
 */
export async function migrateWithin<Tables>(
  connection: Kysely<Tables>,
  migrations: Migrations = MIGRATIONS,
): Promise<string[]> {
  const missing = missingOf(await migrationsOf(connection), migrations);
  await makeRecord(connection);
  for (const name of missing) {
    await migrations[name]!.up(connection as unknown as Kysely<unknown>, true);
    await record(connection, name);
  }
  return missing;
}

async function run<Tables>(
  connection: Kysely<Tables>,
  migrations: Migrations,
  waiting: Waiting,
): Promise<string[]> {
  const there = await migrationsOf(connection);
  refuseNewer(there, migrations);
  const missing = missingOf(there, migrations);
  if (there.length === 0) await makeRecord(connection);
  for (const name of missing) {
    await untilUnlocked(connection, name, waiting, () =>
      runOne(connection, name, migrations[name]!, there.length === 0),
    );
  }
  return missing;
}

const missingOf = (there: readonly string[], migrations: Migrations): string[] =>
  Object.keys(migrations).filter((name) => !there.includes(name));

async function runOne<Tables>(
  connection: Kysely<Tables>,
  name: string,
  { up, inSteps = false }: SchemaMigration,
  isAlone: boolean,
): Promise<void> {
  if (inSteps) {
    // What it locks holds up no request.
    await up(connection as unknown as Kysely<unknown>, isAlone);
    await record(connection, name);
    return;
  }
  await connection.transaction().execute(async (transaction) => {
    await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT)}`.execute(transaction);
    await up(transaction as unknown as Kysely<unknown>, isAlone);
    await record(transaction, name);
  });
}

/** Tries again while a lock does not become free. The next attempt begins where a migration in steps has stopped. */
async function untilUnlocked(
  connection: QueryExecutorProvider,
  migration: string,
  { log = silentLog, signal, onWait = () => {}, wait = waitFor }: Waiting,
  run: () => Promise<void>,
): Promise<void> {
  for (let tries = 1, ms = FIRST_PAUSE_MS; ; tries += 1, ms = Math.min(ms * 2, LONGEST_PAUSE_MS)) {
    try {
      await run();
      if (tries > 1) await nameConnection(connection, false);
      onWait(false);
      return;
    } catch (error) {
      if (!isLocked(error)) throw error;
      if (tries === 1) await nameConnection(connection, true);
      onWait(true);
      log('warn', 'migration waits for a lock', { migration, tries });
      await wait(ms, signal);
    }
  }
}

/** A lock that did not become free in time, or a deadlock of which this was the victim. */
const isLocked = (error: unknown): boolean =>
  ['55P03', '40P01'].includes(String((Object(error) as { code?: unknown }).code));

/** The table is that of Kysely's migrator, which made it in earlier versions. */
async function makeRecord(connection: QueryExecutorProvider): Promise<void> {
  await sql`
    create table if not exists kysely_migration (
      name varchar(255) not null primary key,
      timestamp varchar(255) not null
    )
  `.execute(connection);
}

async function record(connection: QueryExecutorProvider, name: string): Promise<void> {
  await sql`
    insert into kysely_migration values (${name}, ${new Date().toISOString()})
  `.execute(connection);
}

/** The names of the database's migrations, oldest first. */
export async function migrationsOf<Tables>(db: Kysely<Tables>): Promise<string[]> {
  const { rows: found } = await sql<{ there: boolean }>`
    select to_regclass('kysely_migration') is not null as there
  `.execute(db);
  if (!found[0]?.there) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map(({ name }) => name);
}
