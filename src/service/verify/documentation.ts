/** What the service's own documentation says of `/v1/verify`, beside what the schemas say already. Decides nothing. */
import type { SwaggerTransform } from '@fastify/swagger';
import { MAX_BODY_BYTES, TIMEOUTS } from '../bounds.ts';
import { Failure, type FailureCode } from '../failures.ts';
import { TRY_AGAIN, VerifyParameters } from './schema.ts';

const TAG = 'Verification';

const DESCRIPTION = [
  'Verifies one address. GET and POST answer the same.',
  'Checks are made in this order: credential (401, 403), origin or IP address (403), rate (429), parameters (400), captcha (403). Two values for one thing that differ are a 400.',
  'Pages of other origins: an answer to a page that the key trusts carries `Access-Control-Allow-Origin`, errors included; an answer to any other carries none, and such a page can read nothing of it.',
];

const OWN_DESCRIPTION = {
  GET: 'The browser sends no preflight for a request like this. `HEAD` answers the same without the body.',
  POST: `Keeps the address out of URLs and access logs. The body is form-encoded, multipart or JSON (${MAX_BODY_BYTES / 1024} KiB at most, no files); what stands in the query counts as well.`,
};

/** The way for programs of any origin to send a key; for pages, one that needs no preflight. */
const SECURITY = [{ bearer: [] }, { apiKey: [] }, { accessToken: [] }];

const CREDENTIALS = {
  api_key: {
    type: 'string',
    description: 'An API key, if it stands neither in the query nor in the `Authorization` header.',
  },
  access_token: { type: 'string', description: 'An access token, instead of an API key.' },
};

const RATE_HEADERS = {
  'RateLimit-Limit': { type: 'integer', description: 'Requests that the key has for each second.' },
  'RateLimit-Remaining': { type: 'integer', description: 'How many of them are left.' },
  'RateLimit-Reset': { type: 'integer', description: 'When there are more: a time, in seconds since 1970.' },
};

const RETRY_AFTER = {
  'Retry-After': { type: 'integer', description: 'Seconds after which to ask again, 1 or more.' },
};

const DELIVERABLE = {
  accept_all: null,
  did_you_mean: null,
  disposable: false,
  domain: 'example.com',
  duration: 1.52,
  email: 'deliverable@example.com',
  first_name: null,
  free: false,
  full_name: null,
  gender: null,
  last_name: null,
  mailbox_full: false,
  mx_record: 'mx.example.com',
  no_reply: false,
  reason: 'accepted_email',
  role: false,
  score: 96,
  smtp_provider: null,
  state: 'deliverable',
  tag: null,
  user: 'deliverable',
};

const INVALID = {
  ...DELIVERABLE,
  domain: '',
  duration: 0.026,
  email: 'no address',
  mx_record: '',
  reason: 'invalid_email',
  score: 0,
  state: 'undeliverable',
  user: 'no address',
};

type Examples = Record<string, { readonly summary: string; readonly value: object }>;

const example = (summary: string, message: string) => ({ summary, value: { message } });

/** As the service words it. */
const ownWords = (summary: string, code: FailureCode) => example(summary, new Failure(code).message);

function answer(schema: string, description: string, examples: Examples, headers?: object) {
  return {
    description,
    ...(headers && { headers }),
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` }, examples } },
  };
}

const failure = (description: string, examples: Examples, headers?: object) =>
  answer('Message', description, examples, headers);

const RESPONSES = {
  200: answer(
    'Result',
    'The result. What is no address has one too.',
    {
      deliverable: { summary: 'An address that exists', value: DELIVERABLE },
      invalid: { summary: 'What is no address', value: INVALID },
    },
    RATE_HEADERS,
  ),
  249: failure(
    'Verifying takes longer than `timeout`: send the same request again. For five minutes that counts as one.',
    { slow: example('slow@example.com with a test key', TRY_AGAIN) },
    RATE_HEADERS,
  ),
  400: failure('The request is not as it should be; the message says what is expected.', {
    email: example('No address', 'Expected email to be the address to verify, got nothing.'),
    timeout: example(
      'A timeout out of bounds',
      'Expected timeout to be a whole number of seconds from 2 to 10, got 11.',
    ),
    credentials: example('Two keys', 'Expected one credential, got several that differ. Send one of them.'),
  }),
  401: failure('No credential was sent.', { none: ownWords('No key', 'credentialMissing') }),
  403: failure(
    'The key does not exist, or not for this origin or IP address: which of these is not said. Or the captcha is not solved.',
    {
      key: ownWords('A wrong key, origin or IP address', 'refused'),
      captcha: ownWords('A spent token', 'captchaFailed'),
      captchaMissing: example('No token', 'Expected captcha_response with the token of a solved captcha.'),
    },
  ),
  405: failure(
    'Any method but those described here.',
    { put: ownWords('PUT', 'methodNotAllowed') },
    { Allow: { type: 'string', description: 'The methods that are.' } },
  ),
  408: failure(
    `The request was too long in coming: its head has ${TIMEOUTS.head / 1000} seconds, the whole of it ${TIMEOUTS.request / 1000}.`,
    {
      late: ownWords('A pause', 'requestTimeout'),
    },
  ),
  417: failure('An `Expect` header other than `100-continue`.', {
    other: ownWords('Something else expected', 'expectationFailed'),
  }),
  429: failure(
    'More requests in a second than the key has; or, with a public live key, more different addresses in a day than a visitor has.',
    { rate: ownWords('Too many', 'tooManyRequests') },
    { ...RETRY_AFTER, ...RATE_HEADERS },
  ),
  431: failure('The address and the headers are too long together, or the headers too many.', {
    long: ownWords('An address of 17 KiB', 'headersTooLarge'),
  }),
  500: failure('A fault of the service. No request is known that brings it about.', {
    fault: ownWords('A fault', 'internal'),
  }),
  503: failure(
    'A part of the service is not to be had: the captcha provider, or live verification. Or there are too many live verifications already.',
    {
      captcha: ownWords('The captcha provider is down', 'captchaUnavailable'),
      live: ownWords('A live key on a server without a database', 'databaseMissing'),
    },
  ),
};

/** Of a body, which only a POST has. */
const BODY_RESPONSES = {
  413: failure('The body is too large, or has too many fields.', {
    large: ownWords('A large body', 'bodyTooLarge'),
  }),
  415: failure('The body is of another type than the three.', {
    text: ownWords('text/plain', 'bodyNotSupported'),
  }),
};

export function documentVerify(method: 'GET' | 'POST'): SwaggerTransform {
  const common = {
    tags: [TAG],
    summary: method === 'GET' ? 'Verify an address' : 'Verify an address that stands in the body',
    description: [...DESCRIPTION, OWN_DESCRIPTION[method]].join('\n\n'),
    operationId: method === 'GET' ? 'verify' : 'verifyByPost',
    security: SECURITY,
  };
  const { type, required, properties } = VerifyParameters;
  const schema = { type, required, properties: { ...properties, ...CREDENTIALS } };
  return ({ url }) => ({
    url,
    schema:
      method === 'GET'
        ? { ...common, querystring: VerifyParameters, response: RESPONSES }
        : {
            ...common,
            body: {
              content: {
                'application/x-www-form-urlencoded': { schema },
                'multipart/form-data': { schema },
                'application/json': { schema },
              },
            },
            response: { ...RESPONSES, ...BODY_RESPONSES },
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

/** A captcha and the day's addresses concern public keys alone, which are refused here. */
export const documentExplain: SwaggerTransform = ({ url }) => {
  const { captcha_response: _token, ...properties } = VerifyParameters.properties;
  return {
    url,
    schema: {
      tags: [TAG],
      summary: 'Verify an address, and explain the result',
      description: [
        'Does the same as `GET /v1/verify`: it counts for the same rate limit, costs the same credit, and joins a verification of the same address that is running. The response has one field more, `evidence`: the servers that were asked, what they replied, and the rule that decided.',
        'It needs a private key that begins with `live_`. Sample results have no evidence.',
      ].join('\n\n'),
      operationId: 'explain',
      security: SECURITY,
      querystring: { type: 'object', required: ['email'], properties },
      response: {
        ...RESPONSES,
        200: answer(
          'Explanation',
          'The result, and how it came about.',
          { explained: { summary: 'An address that exists', value: EXPLANATION } },
          RATE_HEADERS,
        ),
        402: failure('The account has no credits left.', {
          credits: example(
            'No credits',
            'This request needs 1 credit, and the account has 0. Add credits to the account.',
          ),
        }),
        403: failure(
          'The key does not exist, or not for this IP address. Or it is a public key or a test key.',
          {
            key: ownWords('A wrong key or IP address', 'refused'),
            kind: ownWords('A public key or a test key', 'explanationRefused'),
          },
        ),
        503: failure('The service has no database, or live verification is unavailable.', {
          live: ownWords('A service without a database', 'databaseMissing'),
        }),
      },
    },
  };
};

/** Of `OPTIONS`, which browsers ask by themselves. */
export const documentPreflight: SwaggerTransform = ({ url }) => ({
  url,
  schema: {
    tags: [TAG],
    summary: 'What a browser asks beforehand',
    description:
      'Which key will be used is not known yet, so an origin that any key trusts is told yes: the answer itself decides. The widget needs none of this; a page’s own code does when it sends JSON or an `Authorization` header.',
    operationId: 'preflight',
    security: [],
    headers: {
      type: 'object',
      properties: { Origin: { type: 'string', description: 'The page’s, from the browser.' } },
    },
    response: {
      204: {
        description: 'The page may ask.',
        type: 'null',
        headers: {
          'Access-Control-Allow-Origin': { type: 'string', description: 'The origin that asked.' },
          'Access-Control-Allow-Methods': { type: 'string', description: 'The methods of this address.' },
          'Access-Control-Allow-Headers': {
            type: 'string',
            description: '`Authorization`, `Content-Type` and `Idempotency-Key`.',
          },
          'Access-Control-Max-Age': {
            type: 'integer',
            description: 'Seconds for which the browser need not ask again.',
          },
        },
      },
      403: failure('No key trusts the origin.', {
        origin: RESPONSES[403].content['application/json'].examples.key!,
      }),
    },
  },
});
