/** All failures of the API in one table, with their statuses and messages. */

import { MAX_BODY_BYTES, MAX_HEAD_BYTES, MAX_HEADERS } from './bounds.ts';

/** The messages by their statuses: those of the interface's section 7, and of HTTP itself. */
const MESSAGES = {
  400: { badRequest: 'Expected a well-formed request. Check its parameters and its encoding.' },
  401: {
    credentialMissing:
      'API key is required. Send it as api_key, or in the header "Authorization: Bearer YOUR_KEY".',
    clientRefused: 'The OAuth app is not accepted.',
  },
  402: { creditsMissing: 'There are not enough credits.' },
  403: {
    // Unknown keys, untrusted origins and untrusted IP addresses share a message, so that it does not reveal which keys
    // exist.
    refused:
      'The API key is not accepted here. Check the key. Add the host of the page to its trustedDomains, or the IP address to its trustedIps.',
    // Only for the form of an access token, so that clients know when to refresh.
    accessTokenRefused:
      'The access token has expired or was revoked. Get a new one with the refresh token, or ask the person again.',
    publicKeyRefused: 'Public keys work at /v1/verify only. Use a private key, and keep it on your server.',
    explanationRefused:
      'Explanations are only available for private live keys. Use a private key that begins with live_.',
    noAccount: 'This key comes from the config and has no account. Use a key of an account.',
    formOfOtherSite:
      'This form was sent by another site, so it was ignored. Open the page here, and send the form again.',
    cookieMissing:
      'Your browser sent no cookie with the form, so it was ignored. Allow cookies for this site, open the page again, and send the form again.',
    captchaFailed: 'The captcha could not be verified. Solve it again.',
  },
  404: {
    notFound: 'This URL does not exist. Check its spelling.',
    downloadMissing:
      'There is no file at this URL, or it is no longer kept. Read the status of the batch to see what is there.',
  },
  405: { methodNotAllowed: 'This method is not allowed here. See the Allow header.' },
  408: { requestTimeout: 'The request took too long to arrive. Send it again, without pauses.' },
  409: {
    idempotencyRunning:
      'The first request with this Idempotency-Key is still running. Send the request again later.',
  },
  413: { bodyTooLarge: `Expected a body of at most ${MAX_BODY_BYTES / 1024} KiB.` },
  415: {
    bodyNotSupported:
      'Expected a body of type application/x-www-form-urlencoded, multipart/form-data or application/json.',
  },
  417: { expectationFailed: 'Expected the Expect header to be 100-continue, or to be left out.' },
  422: {
    idempotencyMismatch:
      'This Idempotency-Key was sent with a different request before. Send a new key with a new request.',
  },
  429: {
    tooManyRequests: 'Rate Limit Exceeded',
    keySpent:
      'This API key has spent the credits that it may spend in a day. Its owner can raise the limit on the page of the key. Otherwise, send the request again tomorrow (UTC).',
    tooManyChanges:
      'Your account has made 1,000 changes within an hour, so this one was not made. Try again when the first of them is an hour old.',
    tooManyUnknownKeys:
      'Your network has sent too many API keys that are not accepted. Check your key, and send it again in a minute.',
  },
  431: {
    headersTooLarge: `Expected at most ${MAX_HEADERS} headers, and at most ${MAX_HEAD_BYTES / 1024} KiB for the URL and all headers together.`,
  },
  500: { internal: 'Something went wrong on our side. Send the request again later.' },
  503: {
    notBuilt: 'This service could not build this file. Its operator finds the reason in the log.',
    maintenance: 'The service is being maintained. Try again later.',
    captchaUnavailable: 'The captcha provider cannot be reached at the moment. Try again later.',
    databaseAway: 'The database cannot be reached at the moment. Send the request again later.',
    databaseFull:
      'The disk of the database is full, so nothing can be stored. Its operator must make space. Send the request again later.',
    databaseSlow:
      'The database took longer for this request than the service waits. Send the request again later.',
    databaseMissing:
      'This server runs without a database, so it has no accounts, batches, OAuth or live keys. Its operator can set "database" in the config, or DATABASE_URL.',
    downloadsBusy: 'Too many downloads are running at the moment. Send the request again later.',
    liveBusy:
      'This server is too busy to verify more addresses at the moment. This request cost no credit. Send it again later.',
    portClosed:
      'This server cannot reach any mail server at the moment. Its operator can run "admin doctor". Send the request again later.',
    liveUnavailable:
      'Verification with live keys is not available on this server. Its operator can set "live" in the config. Use a key that begins with test_ until then.',
  },
} as const;

type Messages = typeof MESSAGES;
export type FailureCode = { [Status in keyof Messages]: keyof Messages[Status] }[keyof Messages];

const FAILURES = Object.fromEntries(
  Object.entries(MESSAGES).flatMap(([status, messages]) =>
    Object.entries(messages).map(([code, message]) => [code, { status: Number(status), message }]),
  ),
) as Record<FailureCode, { readonly status: number; readonly message: string }>;

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
