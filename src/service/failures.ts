/** Every way in which there is no result, in one table, and the one JSON shape that tells of it. */

import { MAX_BODY_BYTES, MAX_HEAD_BYTES, MAX_HEADERS } from './bounds.ts';

interface FailureKind {
  readonly status: number;
  readonly message: string;
}

/** The statuses of the interface's section 7, and those of HTTP itself. */
const FAILURES = {
  badRequest: {
    status: 400,
    message: 'Expected a well-formed request. Check its parameters and its encoding.',
  },
  credentialMissing: { status: 401, message: 'API key is required' },
  clientRefused: { status: 401, message: 'The OAuth app is not accepted.' },
  // One message for an unknown key, an untrusted origin and an untrusted IP address: it does not tell which keys exist.
  refused: {
    status: 403,
    message:
      'The API key is not accepted here. Check the key. Add the host of the page to its trustedDomains, or the IP address to its trustedIps.',
  },
  publicKeyRefused: {
    status: 403,
    message: 'Public keys work at /v1/verify only. Use a private key, and keep it on your server.',
  },
  explanationRefused: {
    status: 403,
    message:
      'Only live verifications are explained, and only to servers. Use a private key that begins with live_.',
  },
  noAccount: {
    status: 403,
    message: 'This key belongs to no account, because it comes from the config. Use a key of an account.',
  },
  formOfOtherSite: {
    status: 403,
    message:
      'This form was sent by another site, so nothing was changed. Open the page here and send it again.',
  },
  cookieMissing: {
    status: 403,
    message:
      'Your browser sent no cookie with the form, so nothing was changed. Allow cookies for this site, open the page again, and send the form again.',
  },
  captchaFailed: { status: 403, message: 'The captcha could not be verified. Solve it again.' },
  notFound: { status: 404, message: 'There is nothing at this address.' },
  downloadMissing: { status: 404, message: 'There is no file at this URL, or it is no longer kept.' },
  methodNotAllowed: { status: 405, message: 'This method is not allowed here. See the Allow header.' },
  requestTimeout: {
    status: 408,
    message: 'Expected the whole request sooner. Send it again, without pauses.',
  },
  bodyTooLarge: { status: 413, message: `Expected a body of at most ${MAX_BODY_BYTES / 1024} KiB.` },
  bodyNotSupported: {
    status: 415,
    message:
      'Expected a body of type application/x-www-form-urlencoded, multipart/form-data or application/json.',
  },
  expectationFailed: { status: 417, message: 'Expected no Expect header but 100-continue.' },
  headersTooLarge: {
    status: 431,
    message: `Expected at most ${MAX_HEADERS} headers, and ${MAX_HEAD_BYTES / 1024} KiB of them and the address together.`,
  },
  tooManyRequests: { status: 429, message: 'Rate Limit Exceeded' },
  internal: { status: 500, message: 'Something went wrong on our side.' },
  maintenance: { status: 503, message: 'The service is being maintained. Try again later.' },
  captchaUnavailable: {
    status: 503,
    message: 'The captcha provider cannot be reached at the moment. Try again later.',
  },
  databaseAway: {
    status: 503,
    message: 'The database cannot be reached at the moment. Send the request again later.',
  },
  databaseMissing: {
    status: 503,
    message:
      'This server runs without a database, so it has no accounts, batches, OAuth and live keys. Its operator can set "database" in the config, or DATABASE_URL.',
  },
  downloadsBusy: {
    status: 503,
    message: 'Too many downloads run at the moment. Send the request again later.',
  },
  liveBusy: {
    status: 503,
    message:
      'This server has as many verifications as it can do in time. Send the request again later. This one cost nothing.',
  },
  creditsMissing: { status: 402, message: 'There are not enough credits.' },
  idempotencyMismatch: {
    status: 422,
    message:
      'Expected the same request for the same Idempotency-Key, got another one. Send a new key with a new request.',
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

/** Thrown where a request ends without a result; answered as `{"message": …}` with its status and headers. */
export class Failure extends Error {
  readonly status: number;

  constructor(
    readonly code: FailureCode,
    message: string = FAILURES[code].message,
    readonly headers: Readonly<Record<string, string>> = {},
    /** What the operator's log says of it. */
    readonly reason?: string,
  ) {
    super(message);
    this.name = 'Failure';
    this.status = FAILURES[code].status;
  }
}

/** Why a request gets a 403. Only the operator's log says it, because it tells which keys exist. */
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

/** The failure for what the HTTP framework has refused: its status counts, its words are replaced by ours. */
export function failureOfStatus(status: number): Failure {
  const codes: Partial<Record<number, FailureCode>> = {
    404: 'notFound',
    405: 'methodNotAllowed',
    408: 'requestTimeout',
    413: 'bodyTooLarge',
    // A part of the path is longer than any route has it.
    414: 'notFound',
    415: 'bodyNotSupported',
    417: 'expectationFailed',
    431: 'headersTooLarge',
  };
  return new Failure(codes[status] ?? (status >= 400 && status < 500 ? 'badRequest' : 'internal'));
}
