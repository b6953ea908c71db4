/** Carries out the decisions that people make on the pages. */
import { digestOf } from '../../shared/sha256.ts';
import { type AuditAction, recordAuditEvent } from '../audit/audit-store.ts';
import type { Db } from '../database/schema.ts';
import { inTransaction } from '../database/transaction.ts';
import type { Deps } from '../deps/deps.ts';
import { holdAccount } from '../people/accounts/account-store.ts';
import { findApp } from './apps/app-store.ts';
import { addToQuery, OUT_OF_BAND } from './apps/redirect-uri.ts';
import { allowWaiting, denyWaiting, findWaitingApp } from './device/device-store.ts';
import { readUserCode, showUserCode } from './device/user-code.ts';
import type { AppName, AuthorisedApp, AuthorizationRequest, Decision, DeviceRequest } from './grants.ts';
import { listGrantedApps } from './tokens/grant-store.ts';
import { makeSecret } from './tokens/token-secrets.ts';
import { insertCode, revokeGrantedApp } from './tokens/token-store.ts';

/** Who decides about an app for an account. */
export interface Decider {
  readonly accountId: string;
  readonly personId: string;
  /** For the audit log. */
  readonly email: string;
}

/** Issues a code for the app. Each call issues a new one. */
export async function allowRequest(
  { db, settings }: Pick<Deps, 'db' | 'settings'>,
  request: AuthorizationRequest,
  decider: Decider,
): Promise<Decision> {
  const code = makeSecret();
  const row = {
    digest: digestOf(code),
    client_id: request.app.clientId,
    account_id: decider.accountId,
    person_id: decider.personId,
    redirect_uri: request.registeredUri,
    sent_uri: request.redirectUri === request.registeredUri ? null : request.redirectUri,
    challenge: request.challenge ?? null,
  };
  const isStored = await decide(db, decider, 'app.allow', 'code', async (transaction) =>
    (await insertCode(transaction, row, settings.durations.authorizationCode)) ? request.app : undefined,
  );
  if (!isStored) {
    return {
      kind: 'error-page',
      error: 'invalid_client',
      message: 'The app or the account was deleted, or you may no longer allow apps in the account.',
    };
  }
  return isOutOfBand(request) ? { kind: 'oob-code', code } : redirect(request, { code });
}

/** Denies the request. The app gets `access_denied`. */
export async function denyRequest(
  db: Db,
  request: AuthorizationRequest,
  decider: Decider,
): Promise<Decision> {
  await decide(db, decider, 'app.deny', 'code', async () => request.app);
  if (isOutOfBand(request)) return { kind: 'oob-denied' };
  return redirect(request, {
    error: 'access_denied',
    error_description: 'The owner of the account denied the request.',
  });
}

/**
 * Finds the waiting device with this code. The caller must limit how many wrong codes a session and an IP address may
 * try.
 *
 * @param typed the code as typed @returns undefined for a code that is unknown, expired, or already decided
 */
export async function findDeviceRequest(db: Db, typed: string): Promise<DeviceRequest | undefined> {
  const code = readUserCode(typed);
  const app = code === undefined ? undefined : await findWaitingApp(db, digestOf(code));
  if (!app) return undefined;
  const { client_id: clientId, name, owner_email: owner } = app;
  return { app: { clientId, name, owner }, scope: 'all', userCode: showUserCode(code!) };
}

/** @returns false if the code has expired or been decided meanwhile. Nothing has changed then. */
export async function decideDevice(
  db: Db,
  typed: string,
  decider: Decider,
  isAllowed: boolean,
): Promise<boolean> {
  const code = readUserCode(typed);
  if (code === undefined) return false;
  const digest = digestOf(code);
  return decide(db, decider, isAllowed ? 'app.allow' : 'app.deny', 'device', async (transaction) => {
    const app = await findWaitingApp(transaction, digest);
    if (!app) return undefined;
    const isDone = isAllowed
      ? await allowWaiting(transaction, digest, decider)
      : await denyWaiting(transaction, digest);
    return isDone ? { clientId: app.client_id, name: app.name } : undefined;
  });
}

/** The apps that may act for the account, by name. */
export async function listAuthorisedApps(db: Db, accountId: string): Promise<AuthorisedApp[]> {
  const apps = await listGrantedApps(db, accountId);
  return apps.map(({ client_id: clientId, last_used: lastUsed, ...app }) => ({ ...app, clientId, lastUsed }));
}

/** Revokes all tokens and codes of the app for this account at once. @returns whether there were any */
export function revokeAuthorisedApp(db: Db, decider: Decider, clientId: string): Promise<boolean> {
  return decide(db, decider, 'app.remove', undefined, async (transaction) => {
    const app = await findApp(transaction, clientId);
    if (!app || !(await revokeGrantedApp(transaction, decider.accountId, clientId))) return undefined;
    return { clientId, name: app.name };
  });
}

/**
 * Carries out a person's decision for an account, and writes it to the audit log in the same transaction.
 *
 * @param act returns the app, or undefined if the decision had no effect @returns whether the decision had an effect
 */
async function decide(
  db: Db,
  { accountId, email }: Decider,
  action: AuditAction,
  flow: 'code' | 'device' | undefined,
  act: (transaction: Db) => Promise<AppName | undefined>,
): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const isThere = (await holdAccount(transaction, accountId)) !== undefined;
    const app = isThere ? await act(transaction) : undefined;
    if (!app) return false;
    await recordAuditEvent(transaction, {
      accountId,
      actor: { kind: 'owner', name: email },
      action,
      subject: { id: app.clientId, name: app.name },
      ...(flow && { details: { flow } }),
    });
    return true;
  });
}

const isOutOfBand = ({ redirectUri }: AuthorizationRequest) => redirectUri === OUT_OF_BAND;

/** `iss` tells an app with several servers which one has answered, to prevent mix-up attacks (RFC 9207). */
function redirect(
  { redirectUri, state, issuer }: AuthorizationRequest,
  answer: Readonly<Record<string, string>>,
): Decision {
  const url = addToQuery(redirectUri, { ...answer, ...(state === undefined ? {} : { state }), iss: issuer });
  return { kind: 'redirect', url };
}
