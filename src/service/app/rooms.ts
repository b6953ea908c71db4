/** What the routes need from the database. A service without one loads neither this file nor the database driver. */
import type { Readable } from 'node:stream';
import type { Finding } from '../../engine/doctor/finding.ts';
import type { StatusBody } from '../batch/batch-response.ts';
import { readStatus } from '../batch/batch-status.ts';
import type { CallbackRules } from '../batch/callback-url.ts';
import { type BatchRequest, type Created, type CreateOptions, createBatch } from '../batch/create-batch.ts';
import { openArchive } from '../batch/download/archive.ts';
import { type Download, findDownload } from '../batch/download/download-store.ts';
import type { Durations } from '../config/sections/durations-section.ts';
import type { Log } from '../core/log.ts';
import type { PublicUrl } from '../core/public-url.ts';
import { createDashboard } from '../dashboard/dashboard.ts';
import type { DashboardScope } from '../dashboard/visit.ts';
import type { Db } from '../database/schema.ts';
import type { Trouble } from '../database/unavailable.ts';
import { createIdempotency, type Idempotency } from '../idempotency/idempotency.ts';
import type { KeyRing } from '../keys/key.ts';
import { createStoredKeys } from '../keys/stored-keys.ts';
import type { RateLimit } from '../limits/rate-limit.ts';
import { createStoredRateLimit } from '../limits/stored-rate.ts';
import { createStoredUniquePerDayLimit } from '../limits/stored-visitors.ts';
import type { UniquePerDayLimit } from '../limits/unique-per-day.ts';
import { createReader, type Reader } from '../lists/reading/list-reader.ts';
import { createOAuthServer, type OAuthServer } from '../oauth/oauth-server.ts';
import { findAccessToken } from '../oauth/tokens/access-tokens.ts';
import { type AccountSummary, findAccountById } from '../people/accounts/account-store.ts';
import type { PasswordCost } from '../people/accounts/password-hash.ts';
import { createSessions, type Sessions } from '../people/sessions/sessions.ts';
import { createChangePassword } from '../people/sign-in/change-password.ts';
import { createConfirmPassword } from '../people/sign-in/confirm-password.ts';
import { createGuesses, type Guesses } from '../people/sign-in/guesses.ts';
import { createPasswords } from '../people/sign-in/passwords.ts';
import { createSignIn, type SignIn } from '../people/sign-in/sign-in.ts';
import type { UsageCounter } from '../usage/usage-counter.ts';
import type { LiveVerifications } from '../verify/live/live-verifications.ts';

/** Each works in all processes on one database together. */
export interface Rooms {
  readonly keys: KeyRing;
  readonly rateLimit: RateLimit;
  readonly uniquePerDay: UniquePerDayLimit;
  readonly idempotency: Idempotency;
  /** Absent without a verifier for live keys. */
  readonly live: LiveVerifications | undefined;
  readonly usage: UsageCounter;
  /** Whether it is certain that no mail server can be reached. Live keys then get a 503. */
  isPortClosed(): boolean;
  createBatch(request: BatchRequest): Promise<Created>;
  /** @returns `undefined` if the account has no such batch */
  readBatchStatus(accountId: string, id: string, partial: boolean): Promise<StatusBody | undefined>;
  /** @returns `undefined` if the name has no results */
  findDownload(name: string): Promise<Download | undefined>;
  /** The ZIP. The results are read while it is read. */
  openArchive(download: Download): Readable;
  /** Whether batches of live keys are verified. */
  readonly takesLiveBatches: boolean;
  readonly callbackRules: CallbackRules;
  readonly oauth: OAuthServer;
  /** The sessions of signed-in people. */
  readonly sessions: Sessions;
  readonly signIn: SignIn;
  /** The limit for wrong passwords and codes. */
  readonly guesses: Guesses;
  /** @returns `undefined` if there is no such account */
  readAccount(id: string): Promise<AccountSummary | undefined>;
  /** Adds the pages of the dashboard to a scope of pages. */
  addDashboard(scope: DashboardScope): void;
  /** The base of links. */
  readonly publicUrl: PublicUrl;
  /** Whether requests can be served at the moment. */
  isReady(): boolean;
  /** Why they cannot. */
  trouble(): Trouble;
}

export interface RoomsOptions {
  readonly db: Db;
  readonly processId: string;
  readonly live: LiveVerifications | undefined;
  readonly usage: UsageCounter;
  /** The problems for the operator that the latest check found. */
  readonly findings: () => readonly Finding[];
  readonly isPortClosed: () => boolean;
  readonly isReady: () => boolean;
  readonly trouble: () => Trouble;
  readonly uniquePerDay: number;
  readonly batches: Omit<CreateOptions, 'db' | 'processId'>;
  readonly takesLiveBatches: boolean;
  readonly allowPrivateCallbacks: boolean;
  readonly refusedNetworks?: readonly string[] | undefined;
  /** Whether unknown results cost nothing. */
  readonly refundUnknown: boolean;
  /** The base of links. */
  readonly publicUrl: PublicUrl;
  readonly durations: Durations;
  /** Reads uploaded lists. @default each in a process of its own */
  readonly listReader?: Reader | undefined;
  readonly log: Log;
  /** The cost of the hashes of passwords. */
  readonly passwordCost?: PasswordCost | undefined;
}

export function createRooms({
  db,
  processId,
  live,
  usage,
  findings,
  isPortClosed,
  isReady,
  trouble,
  uniquePerDay,
  batches,
  takesLiveBatches,
  allowPrivateCallbacks,
  refusedNetworks,
  refundUnknown,
  publicUrl,
  durations,
  listReader = createReader(),
  log,
  passwordCost,
}: RoomsOptions): Rooms {
  const callbackRules = { allowPrivateAddresses: allowPrivateCallbacks, refusedNetworks };
  const sessions = createSessions(db, durations.session);
  const guesses = createGuesses(db);
  const passwords = createPasswords({ db, guesses, log, cost: passwordCost });
  const changePassword = createChangePassword({ db, sessions, passwords });
  const oauth = createOAuthServer({ db, durations });
  const rateLimit = createStoredRateLimit(db);
  const make = (request: BatchRequest) => createBatch({ ...batches, db, processId, usage }, request);
  return {
    keys: { ...createStoredKeys(db), findAccessToken: (value) => findAccessToken(db, value) },
    rateLimit,
    uniquePerDay: createStoredUniquePerDayLimit(db, uniquePerDay),
    idempotency: createIdempotency({ db, processId }),
    live,
    usage,
    isPortClosed,
    createBatch: make,
    readBatchStatus: (accountId, id, partial) => readStatus(db, accountId, id, partial, publicUrl.known),
    findDownload: (name) => findDownload(db, name),
    openArchive: (download) => openArchive(db, download),
    takesLiveBatches,
    callbackRules,
    oauth,
    sessions,
    guesses,
    signIn: createSignIn({ sessions, passwords }),
    readAccount: (id) => findAccountById(db, id),
    addDashboard: createDashboard({
      ...{
        db,
        rateLimit,
        processId,
        live,
        isPortClosed,
        takesLiveBatches,
        refundUnknown,
        allowPrivateCallbacks,
        callbackRules,
      },
      ...{
        createBatch: make,
        oauth,
        publicUrl,
        durations,
        findings,
        asksBilling: batches.billing !== undefined,
        listReader,
        changePassword,
        confirmPassword: createConfirmPassword({ sessions, passwords }),
      },
    }),
    publicUrl,
    isReady,
    trouble,
  };
}
