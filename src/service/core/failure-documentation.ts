/** How the page of the API documents a response with JSON, and a failure: with an example of each message. */
import { TIMEOUTS } from './bounds.ts';
import { Failure, type FailureCode } from './failures.ts';

/** Failures of one code have messages of their own, and so do their examples. */
function exampleOf({ code, message, fields }: Failure, index: number, all: readonly Failure[]) {
  const earlier = all.slice(0, index).filter((failure) => failure.code === code).length;
  const name = earlier === 0 ? code : `${code}${earlier + 1}`;
  return [name, { summary: name, value: { message, ...fields } }] as const;
}

/** A response with JSON. @param schema one of the components */
export const documentJson = <Examples extends object>(
  schema: string,
  description: string,
  examples: Examples,
  headers?: object,
) => ({
  description,
  ...(headers && { headers }),
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` }, examples } },
});

/** @param failures the codes, or failures with messages of their own */
export const documentFailure = (description: string, ...failures: readonly (FailureCode | Failure)[]) => {
  const each = failures.map((failure) => (failure instanceof Failure ? failure : new Failure(failure)));
  return documentJson('Message', description, Object.fromEntries(each.map(exampleOf)));
};

/** Faults in the head of a request, before its URL is known. Every endpoint can return them. */
export const HEAD_FAILURES = {
  408: documentFailure(
    `The request took too long to arrive. Its headers must arrive within ${TIMEOUTS.head / 1000} seconds, and all of it within ${TIMEOUTS.request / 1000}.`,
    'requestTimeout',
  ),
  417: documentFailure('The `Expect` header is not `100-continue`.', 'expectationFailed'),
  431: documentFailure(
    'The URL and the headers are too long together, or there are too many headers.',
    'headersTooLarge',
  ),
};

/** The same, and the refusal of other methods. */
export const HTTP_FAILURES = {
  ...HEAD_FAILURES,
  405: {
    ...documentFailure('The method is not allowed.', 'methodNotAllowed'),
    headers: { Allow: { type: 'string', description: 'The allowed methods.' } },
  },
};

export const INTERNAL = documentFailure('The service failed. No known request causes this.', 'internal');

/** What a POST with an `Idempotency-Key` can return. */
export const IDEMPOTENCY_FAILURES = {
  409: documentFailure(
    'The first request with this `Idempotency-Key` is still running.',
    'idempotencyRunning',
  ),
  422: documentFailure(
    'The `Idempotency-Key` was sent with a different request before.',
    'idempotencyMismatch',
  ),
};

export const CREDENTIAL_MISSING =
  'No credential was sent. If an API key is in `X-API-Key` or in `Authorization: Basic`, the message says where it belongs.';

/** The refusals of an endpoint that needs a private key or a token of an account. */
export const ACCOUNT_REFUSALS = {
  400: documentFailure(
    'A parameter is wrong, or can only be meant for another one. The message says which one, and what is expected.',
    'badRequest',
  ),
  401: documentFailure(CREDENTIAL_MISSING, 'credentialMissing'),
  403: documentFailure(
    'The key is not accepted here, is a public key, or has no account. Or the access token is not valid any more: the header `WWW-Authenticate` then has `error="invalid_token"`.',
    'refused',
    'accessTokenRefused',
    'publicKeyRefused',
    'noAccount',
  ),
  429: documentFailure(
    'The account has sent too many requests in a second, or your network too many unknown keys in a minute.',
    'tooManyRequests',
    'tooManyUnknownKeys',
  ),
  ...HTTP_FAILURES,
  500: INTERNAL,
};

/** Programs send a key or a token in the header. Pages may use a parameter, which needs no preflight. */
export const SECURITY = [{ bearer: [] }, { apiKey: [] }, { accessToken: [] }];
