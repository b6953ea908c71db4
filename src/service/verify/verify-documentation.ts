/** The documentation of `/v1/verify`, in addition to its schemas. It has no effect on requests. */
import type { SwaggerTransform } from '@fastify/swagger';
import { PROOF_HEADER } from '../../protocol/proof.ts';
import { MAX_BODY_BYTES } from '../core/bounds.ts';
import {
  CREDENTIAL_MISSING,
  documentFailure,
  documentJson,
  HEAD_FAILURES,
  HTTP_FAILURES,
  IDEMPOTENCY_FAILURES,
  INTERNAL,
  SECURITY,
} from '../core/failure-documentation.ts';
import { Failure, type FailureCode } from '../core/failures.ts';
import { bodyIn, IDEMPOTENCY_KEY, withExamples } from '../core/request-documentation.ts';
import { MISSING_CREDITS, sayOpen } from '../credits/billing/payment-words.ts';
import { creditsMissing } from '../credits/missing-credits.ts';
import { DATABASE_FAILURES } from '../database/database-failure.ts';
import { TRY_AGAIN, VerifyParameters } from './verify-schema.ts';

const TAG = 'Verification';

const DESCRIPTION = [
  'Verifies one address. GET and POST return the same response.',
  'The service checks in this order: credential (401, 403), origin or IP address (403), rate limit (429), parameters (400), captcha (403). A request with two different credentials, or two different values for a parameter, gets a 400.',
  'If the key trusts the origin of a page, the response has the header `Access-Control-Allow-Origin`, even for errors. Other pages cannot read the response.',
];

const RENEWED =
  'With a public live key, the same visitor gets the result of the same request again for an hour after it was paid, with a new proof. It costs neither a credit nor an address of the day.';

const OWN_DESCRIPTION = {
  GET: 'Browsers send no preflight for this request. `HEAD` returns the same response without the body.',
  POST: `Keeps the address out of URLs and access logs. The body is form-encoded, multipart or JSON, without files and at most ${MAX_BODY_BYTES / 1024} KiB. The service also reads parameters in the query.`,
};

const CREDENTIALS = {
  api_key: {
    type: 'string',
    format: 'password',
    description: 'An API key, unless it is in the query or in the `Authorization` header.',
  },
  access_token: {
    type: 'string',
    format: 'password',
    description: 'An access token, instead of an API key.',
  },
};

const RATE_HEADERS = {
  'RateLimit-Limit': { type: 'integer', description: 'How many requests the key may send in a second.' },
  'RateLimit-Remaining': { type: 'integer', description: 'How many of them are left.' },
  'RateLimit-Reset': { type: 'integer', description: 'When the limit resets, in seconds since 1970.' },
};

/** Only for the result of a page. */
const PROOF = {
  [PROOF_HEADER]: {
    type: 'string',
    description:
      'With a public key: the signed proof of the result, a compact JWS (ES256) for the server of the page. It names the address, the origin of the page and this service, and is valid for 10 minutes. The keys are at `/.well-known/jwks.json`. There is none with `smtp=false`, and none over 1,200 bytes.',
  },
};

const RETRY_AFTER = {
  'Retry-After': {
    type: 'integer',
    description: 'How many seconds to wait before the next request, 1 or more.',
  },
};

/** The result that the examples of all endpoints are made of. */
export const DELIVERABLE = {
  ...{ accept_all: null, did_you_mean: null, disposable: false, domain: 'example.com', duration: 1.52 },
  ...{ email: 'deliverable@example.com', first_name: null, free: false, full_name: null, gender: null },
  ...{ last_name: null, mailbox_full: false, mx_record: 'mx.example.com', no_reply: false },
  ...{ reason: 'accepted_email', role: false, score: 96, smtp_provider: null, state: 'deliverable' },
  ...{ tag: null, user: 'deliverable' },
};

/** What the examples ask. */
const EXAMPLE = { email: DELIVERABLE.email };

const BODY_TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data', 'application/json'];

const INVALID = {
  ...{ ...DELIVERABLE, domain: '', duration: 0.026, email: 'no address', mx_record: '' },
  ...{ reason: 'invalid_email', score: 0, state: 'undeliverable', user: 'no address' },
};

type Examples = Record<string, { readonly summary: string; readonly value: object }>;

const example = (summary: string, message: string) => ({ summary, value: { message } });

/** An example with the service's own message. */
const ownWords = (summary: string, code: FailureCode) => example(summary, new Failure(code).message);

const failure = (description: string, examples: Examples, headers?: object) =>
  documentJson('Message', description, examples, headers);

const UNAVAILABLE = {
  liveUnavailable: ownWords('A live key on a server without live verification', 'liveUnavailable'),
  liveBusy: ownWords('Too many live verifications are running', 'liveBusy'),
  portClosed: ownWords('The server cannot reach mail servers', 'portClosed'),
  databaseAway: ownWords('The database is away', 'databaseAway'),
  databaseFull: ownWords('The disk of the database is full', 'databaseFull'),
  databaseSlow: ownWords('The database took too long', 'databaseSlow'),
};

const RESPONSES = {
  200: documentJson(
    'Result',
    'The result. Text that is not an address gets one too.',
    {
      deliverable: { summary: 'An address that exists', value: DELIVERABLE },
      invalid: { summary: 'Text that is not an address', value: INVALID },
    },
    { ...RATE_HEADERS, ...PROOF },
  ),
  249: failure(
    'The verification takes longer than `timeout`. Send the same request again. Within five minutes, all these requests cost one credit.',
    { slow: example('slow@example.com with a test key', TRY_AGAIN) },
    RATE_HEADERS,
  ),
  400: failure(
    'A parameter is missing, wrong, or can only be meant for another one, such as `catch_all` for `accept_all`. The message says what is expected.',
    {
      email: example('No address', 'Expected email to be the address to verify, got nothing.'),
      timeout: example(
        'A timeout out of range',
        'Expected timeout to be a whole number of seconds from 2 to 10, got 11.',
      ),
      credentials: example('Two keys', 'Expected one credential, got several that differ. Send one of them.'),
    },
  ),
  401: failure(CREDENTIAL_MISSING, { none: ownWords('No key', 'credentialMissing') }),
  402: failure(MISSING_CREDITS, {
    credits: example('No credits', creditsMissing({ needed: 1, available: 0 }).message),
    payment: example('A payment that goes on', sayOpen({ needed: 1, available: 0 }, { malformed: 0 })),
  }),
  403: failure(
    'The key does not exist, or it does not work for this origin or IP address. The message does not say which. Or the captcha is not solved.',
    {
      key: ownWords('A wrong key, origin or IP address', 'refused'),
      accessToken: ownWords('An access token that has expired or was revoked', 'accessTokenRefused'),
      captcha: ownWords('A spent token', 'captchaFailed'),
      captchaMissing: example('No token', 'Expected captcha_response with the token of a solved captcha.'),
    },
  ),
  429: failure(
    'The key has sent too many requests in a second. Or, with a public live key, the visitor has verified too many different addresses in a day, or the key has spent the credits that it may spend in a day. Or your network has sent too many unknown keys in a minute.',
    {
      unknownKeys: ownWords('Too many unknown keys', 'tooManyUnknownKeys'),
      rate: ownWords('Too many', 'tooManyRequests'),
      spent: ownWords('No credits left for today', 'keySpent'),
    },
    { ...RETRY_AFTER, ...RATE_HEADERS },
  ),
  ...HTTP_FAILURES,
  500: INTERNAL,
  503: failure(
    'The captcha provider or live verification is unavailable, or too many live verifications are running.',
    {
      captcha: ownWords('The captcha provider is down', 'captchaUnavailable'),
      live: ownWords('A live key on a server without a database', 'databaseMissing'),
      ...UNAVAILABLE,
    },
  ),
};

/** Responses that only a POST has. */
const POST_RESPONSES = {
  ...IDEMPOTENCY_FAILURES,
  413: failure('The body is too large, or has too many fields.', {
    large: ownWords('A large body', 'bodyTooLarge'),
  }),
  415: failure('The type of the body is not supported.', {
    text: ownWords('text/plain', 'bodyNotSupported'),
  }),
};

export function documentVerify(method: 'GET' | 'POST'): SwaggerTransform {
  const common = {
    tags: [TAG],
    summary: method === 'GET' ? 'Verify an address' : 'Verify an address in the body',
    description: [...DESCRIPTION, RENEWED, OWN_DESCRIPTION[method]].join('\n\n'),
    operationId: method === 'GET' ? 'verify' : 'verifyByPost',
    security: SECURITY,
  };
  const parameters = withExamples(VerifyParameters, EXAMPLE);
  const schema = { ...parameters, properties: { ...parameters.properties, ...CREDENTIALS } };
  return ({ url }) => ({
    url,
    schema:
      method === 'GET'
        ? { ...common, querystring: parameters, response: RESPONSES }
        : {
            ...common,
            headers: IDEMPOTENCY_KEY,
            body: {
              content: bodyIn(BODY_TYPES, schema, { address: { summary: 'An address', value: EXAMPLE } }),
            },
            response: { ...RESPONSES, ...POST_RESPONSES },
          },
  });
}

const EXPLANATION = {
  ...DELIVERABLE,
  email: 'jane@example.com',
  user: 'jane',
  evidence: [
    { atMs: 0, tookMs: 31, stage: 'dns', server: '192.0.2.53', text: 'MX of example.com: mx.example.com' },
    { atMs: 94, tookMs: 40, stage: 'rcpt', server: 'mx.example.com', code: 250, text: '250 2.1.5 OK' },
    { atMs: 135, stage: 'verdict', rule: 'accepted', text: 'accepted_email' },
  ],
};

/** Captchas and the daily limit apply to public keys only, and this endpoint refuses those. */
export const documentExplain: SwaggerTransform = ({ url }) => {
  const { required, properties } = withExamples(VerifyParameters, EXAMPLE);
  const { captcha_response: _token, ...others } = properties;
  return {
    url,
    schema: {
      tags: [TAG],
      summary: 'Verify an address, and explain the result',
      description: [
        'Works like `GET /v1/verify`: it has the same rate limit, costs the same credit, and joins a running verification of the same address. The response has one more field, `evidence`. It lists the servers that were asked, their replies, and the rule that decided.',
        'It needs a private key that begins with `live_`. Sample results have no evidence.',
      ].join('\n\n'),
      operationId: 'explain',
      security: SECURITY,
      querystring: { type: 'object', required, properties: others },
      response: {
        ...RESPONSES,
        200: documentJson(
          'Explanation',
          'The result and its evidence.',
          { explained: { summary: 'An address that exists', value: EXPLANATION } },
          RATE_HEADERS,
        ),
        403: failure(
          'The key does not exist, or does not work for this IP address. Or it is a public key or a test key.',
          {
            key: ownWords('A wrong key or IP address', 'refused'),
            accessToken: ownWords('An access token that has expired or was revoked', 'accessTokenRefused'),
            kind: ownWords('A public key or a test key', 'explanationRefused'),
          },
        ),
        503: failure('The service has no database, or live verification is unavailable.', {
          live: ownWords('A service without a database', 'databaseMissing'),
          ...UNAVAILABLE,
        }),
      },
    },
  };
};

/** The documentation of `OPTIONS`, which browsers send by themselves. */
export const documentPreflight: SwaggerTransform = ({ url }) => ({
  url,
  schema: {
    tags: [TAG],
    summary: 'Answer a preflight of a browser',
    description:
      'A preflight does not contain the key. So the service allows every origin that any key trusts, and checks the key with the request itself. The widget sends no preflight. Your own code does if it sends JSON or an `Authorization` header.',
    operationId: 'preflight',
    security: [],
    headers: {
      type: 'object',
      properties: { Origin: { type: 'string', description: 'The origin of the page. The browser sets it.' } },
    },
    response: {
      204: {
        description: 'The page may send the request.',
        type: 'null',
        headers: {
          'Access-Control-Allow-Origin': { type: 'string', description: 'The origin of the page.' },
          'Access-Control-Allow-Methods': { type: 'string', description: 'The methods of this URL.' },
          'Access-Control-Allow-Headers': {
            type: 'string',
            description: '`Authorization` and `Content-Type`.',
          },
          'Access-Control-Max-Age': {
            type: 'integer',
            description: 'How many seconds the browser may cache this response.',
          },
        },
      },
      403: failure('No key trusts the origin.', {
        origin: RESPONSES[403].content['application/json'].examples.key!,
      }),
      ...HEAD_FAILURES,
      500: INTERNAL,
      503: documentFailure('The database cannot serve at the moment.', ...DATABASE_FAILURES),
    },
  },
});
