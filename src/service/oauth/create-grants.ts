/** Carries out what people decide on the pages. */
import type { Durations } from '../config/durations.ts';
import type { Db } from '../database/schema.ts';
import { addToQuery, OUT_OF_BAND } from './apps/redirect-uri.ts';
import { findApp } from './apps/store.ts';
import { readRequest } from './authorization/read-request.ts';
import { allowWaiting, denyWaiting, findWaitingApp } from './device/store.ts';
import { readUserCode, showUserCode } from './device/user-code.ts';
import type { AuthorizationRequest, Decision, Grants } from './grants.ts';
import { digestOf, makeSecret } from './tokens/secrets.ts';
import { insertCode, listGrantedApps, revokeGrantedApp } from './tokens/store.ts';

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
        redirect_uri: request.redirectUri,
        challenge: request.challenge ?? null,
      };
      if (!(await insertCode(db, row, durations.authorizationCode))) {
        return {
          kind: 'error-page',
          error: 'invalid_client',
          message: 'The app or the account was deleted.',
        };
      }
      return isOutOfBand(request) ? { kind: 'oob-code', code } : redirect(request, { code });
    },
    deny(request) {
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
      const { client_id: clientId, name } = app;
      return { app: { clientId, name }, scope: 'all', userCode: showUserCode(code!) };
    },
    async allowDevice(typed, accountId) {
      const code = readUserCode(typed);
      return code !== undefined && allowWaiting(db, digestOf(code), accountId);
    },
    async denyDevice(typed) {
      const code = readUserCode(typed);
      return code !== undefined && denyWaiting(db, digestOf(code));
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
    revokeAuthorisedApp: (accountId, clientId) => revokeGrantedApp(db, accountId, clientId),
  };
}

const isOutOfBand = ({ redirectUri }: AuthorizationRequest) => redirectUri === OUT_OF_BAND;

/** `iss` tells an app that uses several servers which of them answers (RFC 9207), against mix-up. */
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
