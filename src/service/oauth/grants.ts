/**
 * The interface between OAuth and the pages: people decide whether an app may act for their account. Each decision is
 * written to the account's audit log.
 */
import type { OAuthErrorCode } from './oauth-errors.ts';

/** An app as people see it. */
export interface AppName {
  readonly clientId: string;
  readonly name: string;
}

/** An app that asks for access. */
export interface AskingApp extends AppName {
  /** The email address of the account that made it. */
  readonly owner: string;
}

/** A request to `/oauth/authorize` that a person may allow or deny. Read it again for each request of the browser. */
export interface AuthorizationRequest {
  readonly kind: 'ask';
  readonly app: AskingApp;
  /** The only scope that there is (interface, section 2.4). */
  readonly scope: 'all';
  /** Where the browser goes afterwards. */
  readonly redirectUri: string;
  /** The registered redirect URI. It differs in its port at most. */
  readonly registeredUri: string;
  /** Absent if the app sent none. */
  readonly state: string | undefined;
  /** The S256 form of the PKCE challenge. Absent if the app sent none. */
  readonly challenge: string | undefined;
  /** The value of `iss` in the redirect (RFC 9207). */
  readonly issuer: string;
}

/** A request that gets an error page, with status 400, and never a redirect (interface, section 4.5). */
export interface WrongRequest {
  readonly kind: 'error-page';
  readonly error: OAuthErrorCode;
  /** Plain text that may quote the request. Escape it. */
  readonly message: string;
}

/** Where the browser goes after the decision. */
export type Decision =
  /** Send 303 with this `Location`. */
  | { readonly kind: 'redirect'; readonly url: string }
  /** Show the code (`urn:ietf:wg:oauth:2.0:oob`). */
  | { readonly kind: 'oob-code'; readonly code: string }
  /** Show that the app was denied, because the app has no page to go to. */
  | { readonly kind: 'oob-denied' }
  /** The app or the account was deleted meanwhile. */
  | WrongRequest;

/** A device that waits for a person's decision. */
export interface DeviceRequest {
  readonly app: AskingApp;
  readonly scope: 'all';
  /** As the device shows it: `XXXX-XXXX`. */
  readonly userCode: string;
}

/** An app that may act for the account. */
export interface AuthorisedApp extends AppName {
  /** When the account first allowed it, among grants that are still valid. */
  readonly since: Date;
  /** When it last got an access token. */
  readonly lastUsed: Date;
}
