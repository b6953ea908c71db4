/** Authenticates the app that sends a request to an OAuth endpoint (RFC 6749, section 2.3). */
import { timingSafeEqual } from 'node:crypto';
import { digestOf } from '../../../shared/sha256.ts';
import { OAuthFailure } from '../oauth-errors.ts';
import type { App } from './app-store.ts';

/** The format of a client id. Other texts are not looked up. */
export const CLIENT_ID = /^[A-Za-z0-9_-]{10,64}$/;

/** The app's credentials in the request. */
export interface Claim {
  readonly clientId: string;
  readonly secret: string | undefined;
  /** Whether they are in the header `Authorization`. */
  readonly isBasic: boolean;
}

/**
 * Reads the credentials from the header or the body. Sending both is refused (RFC 6749, section 2.3).
 *
 * @throws {OAuthFailure} for an unreadable header, for both places, and for missing credentials
 */
export function readClaim(
  authorization: string | undefined,
  body: { readonly client_id: string | undefined; readonly client_secret: string | undefined },
): Claim {
  const { client_id: clientId, client_secret: secret } = body;
  if (authorization === undefined) {
    if (clientId === undefined) throw new OAuthFailure('invalid_request', 'Expected client_id, got nothing.');
    return { clientId, secret, isBasic: false };
  }
  const basic = readBasic(authorization);
  if (secret !== undefined || (clientId !== undefined && clientId !== basic.clientId))
    throw new OAuthFailure(
      'invalid_request',
      'Expected the client id and secret in the header or in the body, got both.',
    );
  return basic;
}

/** The two parts are form-encoded before they are joined (RFC 6749, section 2.3.1). */
function readBasic(authorization: string): Claim {
  const encoded = /^Basic +([\w+/=-]+) *$/i.exec(authorization)?.[1] ?? '';
  const [, id = '', secret = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  try {
    return { clientId: formDecode(id), secret: formDecode(secret) || undefined, isBasic: true };
  } catch {
    return { clientId: '', secret: undefined, isBasic: true };
  }
}

const formDecode = (text: string) => decodeURIComponent(text.replaceAll('+', ' '));

/**
 * Finds the app. A wrong secret is refused, and so is a missing one if the app has a secret.
 *
 * @param options `secretIsOptional` for the device flow, which uses none (interface, section 4.7) @param onFound called
 * with the app before its secret is checked
 * @throws {OAuthFailure}
 */
export async function authenticate(
  claim: Claim,
  findApp: (clientId: string) => Promise<App | undefined>,
  { secretIsOptional = false, onFound }: { secretIsOptional?: boolean; onFound?: (app: App) => void } = {},
): Promise<App> {
  const app = CLIENT_ID.test(claim.clientId) ? await findApp(claim.clientId) : undefined;
  if (!app) throw refuse(claim, 'No app has this client id.');
  onFound?.(app);
  // A public app has no secret.
  if (!app.secret) return app;
  if (claim.secret === undefined) {
    if (secretIsOptional) return app;
    throw refuse(claim, 'Expected the client secret of the app, got nothing.');
  }
  const sent = digestOf(claim.secret);
  if (!timingSafeEqual(app.secret, sent) && !isFormer(app, sent))
    throw refuse(claim, 'The client secret is wrong.');
  return app;
}

/** Whether it is the old secret, which still works for a while after a roll. */
const isFormer = ({ former_secret: former, has_former_secret: isThere }: App, sent: Buffer): boolean =>
  isThere && former !== null && timingSafeEqual(former, sent);

/** The challenge is sent only in reply to Basic. Otherwise, a browser would ask its user for a password. */
function refuse({ isBasic }: Claim, description: string): OAuthFailure {
  return new OAuthFailure(
    'invalid_client',
    description,
    isBasic ? { 'WWW-Authenticate': 'Basic realm="OAuth", charset="UTF-8"' } : {},
  );
}
