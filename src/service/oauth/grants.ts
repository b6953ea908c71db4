/**
 * What people decide on the pages: whether an app may act for their account. The pages need nothing else of OAuth.
 * Each decision is in the audit log of the account.
 */
import type { Parameters } from '../http/parameters.ts';
import type { OAuthErrorCode } from './errors.ts';

/** An app as people see it. */
export interface AppName {
  readonly clientId: string;
  readonly name: string;
}

/** A request of `/oauth/authorize` that a person may allow or deny. Read it again for each request of the browser. */
export interface AuthorizationRequest {
  readonly kind: 'ask';
  readonly app: AppName;
  /** The only scope that there is (interface, section 2.4). */
  readonly scope: 'all';
  /** One of the app's own, exactly as it is registered. */
  readonly redirectUri: string;
  /** Absent if the app sent none. */
  readonly state: string | undefined;
  /** The S256 form of the PKCE challenge. Absent if the app sent none. */
  readonly challenge: string | undefined;
  /** What `iss` says in the redirect (RFC 9207). */
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
  /** Say that the app was denied, because there is no page of the app to go to. */
  | { readonly kind: 'oob-denied' }
  /** The app or the account was deleted meanwhile. */
  | WrongRequest;

/** A device that waits for a person's decision. */
export interface DeviceRequest {
  readonly app: AppName;
  readonly scope: 'all';
  /** As the device shows it: `XXXX-XXXX`. */
  readonly userCode: string;
}

/** An app that may act for the account. */
export interface AuthorisedApp extends AppName {
  /** When the account first allowed it, of what is still in force. */
  readonly since: Date;
  /** When it last got an access token. */
  readonly lastUsed: Date;
}

export interface Grants {
  /**
   * @param query all parameters of `/oauth/authorize`
   * @param issuer what `issuerOf` returns
   */
  readAuthorizationRequest(query: Parameters, issuer: string): Promise<AuthorizationRequest | WrongRequest>;
  /** Gives the app a code. Each call gives another one. */
  allow(request: AuthorizationRequest, accountId: string): Promise<Decision>;
  /** Tells the app `access_denied`. */
  deny(request: AuthorizationRequest, accountId: string): Promise<Decision>;
  /**
   * Finds the device that shows this code and waits.
   * The caller limits how many wrong codes a session and an IP address may try.
   *
   * @param userCode as the person typed it
   * @returns undefined for a code that is unknown, expired, or decided already
   */
  findDeviceRequest(userCode: string): Promise<DeviceRequest | undefined>;
  /** @returns false if the code has expired or been decided meanwhile. Nothing has changed then. */
  allowDevice(userCode: string, accountId: string): Promise<boolean>;
  /** @returns false if the code has expired or been decided meanwhile. Nothing has changed then. */
  denyDevice(userCode: string, accountId: string): Promise<boolean>;
  /** The apps that may act for the account, by their names. */
  listAuthorisedApps(accountId: string): Promise<AuthorisedApp[]>;
  /**
   * Ends all tokens and codes of the app for this account, at once.
   *
   * @returns whether there were any
   */
  revokeAuthorisedApp(accountId: string, clientId: string): Promise<boolean>;
}
