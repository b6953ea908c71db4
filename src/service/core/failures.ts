/** All failures of the API in one table, with their statuses and messages. */

import { MAX_BODY_BYTES, MAX_HEAD_BYTES, MAX_HEADERS } from './bounds.ts';

interface FailureKind {
  readonly status: number;
  readonly message: string;
}

/** The statuses of the interface's section 7, and of HTTP itself. */
const FAILURES = {
  badRequest: {
    status: 400,
    message: 'Expected a well-formed request. Check its parameters and its encoding.',
  },
  credentialMissing: {
    status: 401,
    message: 'API key is required. Send it as api_key, or in the header "Authorization: Bearer YOUR_KEY".',
  },
  clientRefused: { status: 401, message: 'The OAuth app is not accepted.' },
  // Unknown keys, untrusted origins and untrusted IP addresses share a message, so that it does not reveal which keys
  // exist.
  refused: {
    status: 403,
    message:
      'The API key is not accepted here. Check the key. Add the host of the page to its trustedDomains, or the IP address to its trustedIps.',
  },
  // Only for the form of an access token, so that clients know when to refresh.
  accessTokenRefused: {
    status: 403,
    message:
      'The access token has expired or was revoked. Get a new one with the refresh token, or ask the person again.',
  },
  publicKeyRefused: {
    status: 403,
    message: 'Public keys work at /v1/verify only. Use a private key, and keep it on your server.',
  },
  explanationRefused: {
    status: 403,
    message:
      'Explanations are only available for private live keys. Use a private key that begins with live_.',
  },
  noAccount: {
    status: 403,
    message: 'This key comes from the config and has no account. Use a key of an account.',
  },
  formOfOtherSite: {
    status: 403,
    message:
      'This form was sent by another site, so it was ignored. Open the page here, and send the form again.',
  },
  cookieMissing: {
    status: 403,
    message:
      'Your browser sent no cookie with the form, so it was ignored. Allow cookies for this site, open the page again, and send the form again.',
  },
  captchaFailed: { status: 403, message: 'The captcha could not be verified. Solve it again.' },
  notFound: { status: 404, message: 'This URL does not exist. Check its spelling.' },
  downloadMissing: {
    status: 404,
    message:
      'There is no file at this URL, or it is no longer kept. Read the status of the batch to see what is there.',
  },
  methodNotAllowed: { status: 405, message: 'This method is not allowed here. See the Allow header.' },
  requestTimeout: {
    status: 408,
    message: 'The request took too long to arrive. Send it again, without pauses.',
  },
  bodyTooLarge: { status: 413, message: `Expected a body of at most ${MAX_BODY_BYTES / 1024} KiB.` },
  bodyNotSupported: {
    status: 415,
    message:
      'Expected a body of type application/x-www-form-urlencoded, multipart/form-data or application/json.',
  },
  expectationFailed: {
    status: 417,
    message: 'Expected the Expect header to be 100-continue, or to be left out.',
  },
  headersTooLarge: {
    status: 431,
    message: `Expected at most ${MAX_HEADERS} headers, and at most ${MAX_HEAD_BYTES / 1024} KiB for the URL and all headers together.`,
  },
  tooManyRequests: { status: 429, message: 'Rate Limit Exceeded' },
  keySpent: {
    status: 429,
    message:
      'This API key has spent the credits that it may spend in a day. Its owner can raise the limit on the page of the key. Otherwise, send the request again tomorrow (UTC).',
  },
  tooManyChanges: {
    status: 429,
    message:
      'Your account has made 1,000 changes within an hour, so this one was not made. Wait an hour, then try again.',
  },
  tooManyUnknownKeys: {
    status: 429,
    message:
      'Your network has sent too many API keys that are not accepted. Check your key, and send it again in a minute.',
  },
  internal: { status: 500, message: 'Something went wrong on our side. Send the request again later.' },
  notBuilt: {
    status: 503,
    message: 'This service could not build this file. Its operator finds the reason in the log.',
  },
  maintenance: { status: 503, message: 'The service is being maintained. Try again later.' },
  captchaUnavailable: {
    status: 503,
    message: 'The captcha provider cannot be reached at the moment. Try again later.',
  },
  databaseAway: {
    status: 503,
    message: 'The database cannot be reached at the moment. Send the request again later.',
  },
  databaseFull: {
    status: 503,
    message:
      'The disk of the database is full, so nothing can be stored. Its operator must make space. Send the request again later.',
  },
  databaseSlow: {
    status: 503,
    message:
      'The database took longer for this request than the service waits. Send the request again later.',
  },
  databaseMissing: {
    status: 503,
    message:
      'This server runs without a database, so it has no accounts, batches, OAuth or live keys. Its operator can set "database" in the config, or DATABASE_URL.',
  },
  downloadsBusy: {
    status: 503,
    message: 'Too many downloads are running at the moment. Send the request again later.',
  },
  liveBusy: {
    status: 503,
    message:
      'This server is too busy to verify more addresses at the moment. This request cost no credit. Send it again later.',
  },
  creditsMissing: { status: 402, message: 'There are not enough credits.' },
  idempotencyMismatch: {
    status: 422,
    message:
      'This Idempotency-Key was sent with a different request before. Send a new key with a new request.',
  },
  idempotencyRunning: {
    status: 409,
    message: 'The first request with this Idempotency-Key is still running. Send the request again later.',
  },
  portClosed: {
    status: 503,
    message:
      'This server cannot reach any mail server at the moment. Its operator can run "admin doctor". Send the request again later.',
  },
  liveUnavailable: {
    status: 503,
    message:
      'Verification with live keys is not available on this server. Its operator can set "live" in the config. Use a key that begins with test_ until then.',
  },
} as const satisfies Record<string, FailureKind>;

export type FailureCode = keyof typeof FAILURES;

/** Ends a request without a result. The response is `{"message": …}` with the failure's status, headers and fields. */
export class Failure extends Error {
  readonly status: number;

  constructor(
    readonly code: FailureCode,
    message: string = FAILURES[code].message,
    readonly headers: Readonly<Record<string, string>> = {},
    /** The reason for the operator's log. */
    readonly reason?: string,
    /** Further fields of the response. */
    readonly fields: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = 'Failure';
    this.status = FAILURES[code].status;
  }
}

/** Why a request gets a 403. Only the operator's log has the reason, because it reveals which keys exist. */
export type RefusalReason =
  | 'unknown_key'
  | 'missing_origin'
  | 'null_origin'
  | 'untrusted_origin'
  | 'untrusted_ip'
  | 'public_key'
  | 'test_key'
  | 'no_account'
  | 'captcha_missing'
  | 'captcha_failed'
  | 'captcha_foreign'
  | 'simulated';

/** A 403, with its reason for the log. */
export class Refusal extends Failure {
  constructor(
    reason: RefusalReason,
    code: 'refused' | 'publicKeyRefused' | 'explanationRefused' | 'noAccount' | 'captchaFailed' = 'refused',
    message?: string,
  ) {
    super(code, message, {}, reason);
  }
}

/** The failure for a refusal of the HTTP framework. It keeps the status and replaces the message. */
export function failureOfStatus(status: number): Failure {
  const codes: Partial<Record<number, FailureCode>> = {
    404: 'notFound',
    405: 'methodNotAllowed',
    408: 'requestTimeout',
    413: 'bodyTooLarge',
    // A segment of the path is longer than in any route.
    414: 'notFound',
    415: 'bodyNotSupported',
    417: 'expectationFailed',
    431: 'headersTooLarge',
  };
  return new Failure(codes[status] ?? (status >= 400 && status < 500 ? 'badRequest' : 'internal'));
}
