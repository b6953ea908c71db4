/** Checks a request to `/oauth/authorize` before a person sees it. */
import type { Db } from '../../database/schema.ts';
import type { Parameters } from '../../http/parameters.ts';
import { type App, findApp } from '../apps/app-store.ts';
import { CLIENT_ID } from '../apps/authenticate-app.ts';
import { findRegistered } from '../apps/redirect-uri.ts';
import type { AuthorizationRequest, WrongRequest } from '../grants.ts';
import { OAuthFailure } from '../oauth-errors.ts';
import { checkScope, readValues, requireValue } from '../oauth-parameters.ts';
import { readChallenge } from './code-challenge.ts';

const NAMES = [
  ...['response_type', 'client_id', 'redirect_uri', 'state', 'scope'],
  ...['code_challenge', 'code_challenge_method'],
] as const;

/** Every error gets an error page and never a redirect, because the redirect URI may be an attacker's. */
export async function readAuthorizationRequest(
  db: Db,
  query: Parameters,
  issuer: string,
): Promise<AuthorizationRequest | WrongRequest> {
  try {
    return await judge(db, query, issuer);
  } catch (error) {
    if (!(error instanceof OAuthFailure)) throw error;
    return { kind: 'error-page', error: error.error, message: error.message };
  }
}

async function judge(db: Db, query: Parameters, issuer: string): Promise<AuthorizationRequest> {
  const values = readValues(query, NAMES);
  const clientId = requireValue(values, 'client_id');
  const app = CLIENT_ID.test(clientId) ? await findApp(db, clientId) : undefined;
  if (!app) throw new OAuthFailure('invalid_client', 'No app has this client_id.');
  const redirectUri = requireValue(values, 'redirect_uri');
  const registeredUri = requireRegistered(app, redirectUri);
  if (requireValue(values, 'response_type') !== 'code')
    throw new OAuthFailure('invalid_request', 'Expected response_type to be code.');
  checkScope(values.scope);
  return {
    kind: 'ask',
    app: { clientId, name: app.name, owner: app.owner_email },
    scope: 'all',
    redirectUri,
    registeredUri,
    state: values.state,
    challenge: readChallenge(values.code_challenge, values.code_challenge_method, isPublic(app)),
    issuer,
  };
}

function requireRegistered(app: App, redirectUri: string): string {
  if (app.redirect_uris.length === 0)
    throw new OAuthFailure('unauthorized_client', 'The app has no redirect URI, so it cannot use this flow.');
  const registered = findRegistered(app.redirect_uris, redirectUri, isPublic(app));
  if (registered === undefined) throw new OAuthFailure('invalid_redirect_uri');
  return registered;
}

const isPublic = ({ secret }: App): boolean => secret === null;
