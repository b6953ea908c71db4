/** Carries out the decisions that people make on the pages. */

import { digestOf } from '../../shared/sha256.ts';
import { type AuditAction, recordAuditEvent } from '../audit/audit-store.ts';
import type { Durations } from '../config/sections/durations-section.ts';
import type { Db } from '../database/schema.ts';
import { inTransaction } from '../database/transaction.ts';
import { holdAccount } from '../people/accounts/account-store.ts';
import { findApp } from './apps/app-store.ts';
import { addToQuery, OUT_OF_BAND } from './apps/redirect-uri.ts';
import { readRequest } from './authorization/read-authorization-request.ts';
import { allowWaiting, denyWaiting, findWaitingApp } from './device/device-store.ts';
import { readUserCode, showUserCode } from './device/user-code.ts';
import type { AppName, AuthorizationRequest, Decision, Grants } from './grants.ts';
import { makeSecret } from './tokens/token-secrets.ts';
import { insertCode, listGrantedApps, revokeGrantedApp } from './tokens/token-store.ts';

export interface GrantsOptions {
  readonly db: Db;
  readonly durations: Pick<Durations, 'authorizationCode'>;
}

export function createGrants({ db, durations }: GrantsOptions): Grants {
  return {
    readAuthorizationRequest: (query, issuer) => readRequest(query, issuer, (id) => findApp(db, id)),
    async allow(request, accountId) {
      const code = makeSecret();
      const row = {
        digest: digestOf(code),
        client_id: request.app.clientId,
        account_id: accountId,
        redirect_uri: request.registeredUri,
        sent_uri: request.redirectUri === request.registeredUri ? null : request.redirectUri,
        challenge: request.challenge ?? null,
      };
      const isStored = await decide(db, accountId, 'app.allow', 'code', async (transaction) =>
        (await insertCode(transaction, row, durations.authorizationCode)) ? request.app : undefined,
      );
      if (!isStored) {
        return {
          kind: 'error-page',
          error: 'invalid_client',
          message: 'The app or the account was deleted.',
        };
      }
      return isOutOfBand(request) ? { kind: 'oob-code', code } : redirect(request, { code });
    },
    async deny(request, accountId) {
      await decide(db, accountId, 'app.deny', 'code', async () => request.app);
      if (isOutOfBand(request)) return { kind: 'oob-denied' };
      return redirect(request, {
        error: 'access_denied',
        error_description: 'The owner of the account denied the request.',
      });
    },
    async findDeviceRequest(typed) {
      const code = readUserCode(typed);
      const app = code === undefined ? undefined : await findWaitingApp(db, digestOf(code));
      if (!app) return undefined;
      const { client_id: clientId, name, owner_email: owner } = app;
      return { app: { clientId, name, owner }, scope: 'all', userCode: showUserCode(code!) };
    },
    async allowDevice(typed, accountId) {
      const code = readUserCode(typed);
      if (code === undefined) return false;
      return decide(db, accountId, 'app.allow', 'device', (transaction) =>
        decideDevice(transaction, code, () => allowWaiting(transaction, digestOf(code), accountId)),
      );
    },
    async denyDevice(typed, accountId) {
      const code = readUserCode(typed);
      if (code === undefined) return false;
      return decide(db, accountId, 'app.deny', 'device', (transaction) =>
        decideDevice(transaction, code, () => denyWaiting(transaction, digestOf(code))),
      );
    },
    async listAuthorisedApps(accountId) {
      const apps = await listGrantedApps(db, accountId);
      return apps.map(({ client_id: clientId, name, since, last_used: lastUsed }) => ({
        clientId,
        name,
        since,
        lastUsed,
      }));
    },
    revokeAuthorisedApp: (accountId, clientId) =>
      decide(db, accountId, 'app.remove', undefined, async (transaction) => {
        const app = await findApp(transaction, clientId);
        if (!app || !(await revokeGrantedApp(transaction, accountId, clientId))) return undefined;
        return { clientId, name: app.name };
      }),
  };
}

/**
 * Carries out an owner's decision, and writes it to the audit log in the same transaction.
 *
 * @param act returns the app, or undefined if the decision had no effect @returns whether the decision had an effect
 */
async function decide(
  db: Db,
  accountId: string,
  action: AuditAction,
  flow: 'code' | 'device' | undefined,
  act: (transaction: Db) => Promise<AppName | undefined>,
): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const name = await holdAccount(transaction, accountId);
    const app = name === undefined ? undefined : await act(transaction);
    if (name === undefined || !app) return false;
    await recordAuditEvent(transaction, {
      accountId,
      actor: { kind: 'owner', name },
      action,
      subject: { id: app.clientId, name: app.name },
      ...(flow && { details: { flow } }),
    });
    return true;
  });
}

/** @returns the app of the device, if the device was still waiting */
async function decideDevice(
  transaction: Db,
  code: string,
  change: () => Promise<boolean>,
): Promise<AppName | undefined> {
  const app = await findWaitingApp(transaction, digestOf(code));
  return app && (await change()) ? { clientId: app.client_id, name: app.name } : undefined;
}

const isOutOfBand = ({ redirectUri }: AuthorizationRequest) => redirectUri === OUT_OF_BAND;

/** `iss` tells an app with several servers which one has answered, to prevent mix-up attacks (RFC 9207). */
function redirect(
  { redirectUri, state, issuer }: AuthorizationRequest,
  answer: Readonly<Record<string, string>>,
): Decision {
  const url = addToQuery(redirectUri, {
    ...answer,
    ...(state === undefined ? {} : { state }),
    iss: issuer,
  });
  return { kind: 'redirect', url };
}
