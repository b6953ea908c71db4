/** The documentation of the OAuth endpoints, in addition to their schemas. */
import type { SwaggerTransform } from '@fastify/swagger';
import { HTTP_FAILURES } from '../core/failure-documentation.ts';
import { Failure, type FailureCode } from '../core/failures.ts';
import { bodyIn } from '../core/request-documentation.ts';
import { DATABASE_FAILURES } from '../database/database-failure.ts';
import { DEVICE_GRANT, GRANT_TYPES } from './grant-types.ts';
import { type OAuthErrorCode, OAuthFailure, oauthFailureBody } from './oauth-errors.ts';

const text = (description: string) => ({ type: 'string', description });
/** Programs hide the value, and keep it out of what they share. */
const secret = (description: string) => ({ ...text(description), format: 'password' });
const CLIENT = {
  client_id: text(
    'The id of the app. You can send it in the `Authorization` header instead, with the secret.',
  ),
  client_secret: secret(
    'The secret of the app, unless the app is public. You can send it as `Authorization: Basic …` instead.',
  ),
};

const TOKENS = {
  access_token: 'at_kq3Zt9vYw1Xn5Lr7Bd0Gc2Hf4Jm6Pp8Ss-Uu_WwYyAa',
  refresh_token: 'rt_Bd0Gc2Hf4Jm6Pp8Ss-Uu_WwYyAakq3Zt9vYw1Xn5Lr7Hf4Jm6Pp8Ss-Uu_WwYyAakq3Zt9vYw1Xn5Lr7Bd0Gc2',
  token_type: 'Bearer',
  expires_in: 7200,
  scope: 'all',
  created_at: 1_767_225_600,
};
const CODES = {
  device_code: 'Hf4Jm6Pp8Ss-Uu_WwYyAakq3Zt9vYw1Xn5Lr7Bd0Gc2',
  user_code: 'WDJB-MJHT',
  verification_uri: 'https://verify.example/oauth/device',
  verification_uri_complete: 'https://verify.example/oauth/device?user_code=WDJB-MJHT',
  expires_in: 900,
  interval: 5,
};

const APP = { client_id: 'newsletter_app' };
const [CODE_GRANT, REFRESH_GRANT] = GRANT_TYPES;

const failureWith = (description: string, failures: Readonly<Record<string, Failure>>) => ({
  description,
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/OAuthError' },
      examples: Object.fromEntries(
        Object.entries(failures).map(([code, failure]) => [
          code,
          { summary: code, value: oauthFailureBody(failure) },
        ]),
      ),
    },
  },
});

const failure = (description: string, ...codes: readonly OAuthErrorCode[]) =>
  failureWith(description, Object.fromEntries(codes.map((code) => [code, new OAuthFailure(code)])));

/** A failure of another part of the service. */
const foreign = (description: string, ...codes: readonly FailureCode[]) =>
  failureWith(description, Object.fromEntries(codes.map((code) => [code, new Failure(code)])));

const FOREIGN = {
  // These come before the endpoint is known.
  ...HTTP_FAILURES,
  413: foreign('The body is too large.', 'bodyTooLarge'),
  415: foreign('The type of the body is not supported.', 'bodyNotSupported'),
  500: foreign('The service failed. No known request causes this.', 'internal'),
  503: foreign('The database cannot serve at the moment.', ...DATABASE_FAILURES),
};

const answer = (description: string, schema: object, value: object) => ({
  description,
  content: { 'application/json': { schema, examples: { success: { summary: description, value } } } },
});

const REFUSED = failure('The app is unknown, or its secret is wrong or missing.', 'invalid_client');

/** Describes one endpoint. All of them take a form and need no API key. */
function describe(
  operation: { operationId: string; summary: string; description: string },
  required: readonly string[],
  properties: Readonly<Record<string, object>>,
  examples: Readonly<Record<string, object>>,
  response: Readonly<Record<string, object>>,
): SwaggerTransform {
  const schema = { type: 'object', required, properties };
  const named = Object.fromEntries(
    Object.entries(examples).map(([name, value]) => [name, { summary: name, value }]),
  );
  return ({ url }) => ({
    url,
    schema: {
      tags: ['OAuth'],
      ...operation,
      security: [],
      body: { content: bodyIn(['application/x-www-form-urlencoded'], schema, named) },
      response: { ...FOREIGN, ...response },
    } as never,
  });
}

export const documentToken = describe(
  {
    operationId: 'token',
    summary: 'Get tokens',
    description:
      'Exchanges a code, a refresh token or a device code for a pair of tokens. Each of them works once. If a code or refresh token is used again, the service revokes the tokens that came from it.',
  },
  ['grant_type'],
  {
    grant_type: { ...text('The kind of grant to exchange.'), enum: GRANT_TYPES },
    ...CLIENT,
    code: secret('With `authorization_code`: the code from the redirect.'),
    redirect_uri: text('With `authorization_code`: the same as in the authorization request.'),
    code_verifier: secret(
      'With `authorization_code`: the PKCE verifier, if the authorization request had a challenge.',
    ),
    refresh_token: secret('With `refresh_token`: the latest refresh token.'),
    device_code: secret('With the device grant: the device code. No secret is needed.'),
  },
  {
    [CODE_GRANT]: {
      grant_type: CODE_GRANT,
      ...{ ...APP, client_secret: 'Yw1Xn5Lr7Bd0Gc2Hf4Jm6Pp8Ss-Uu_WwYyAakq3Zt9v' },
      code: 'Xn5Lr7Bd0Gc2Hf4Jm6Pp8Ss-Uu_WwYyAakq3Zt9vYw1',
      redirect_uri: 'https://app.example/callback',
      code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    },
    [REFRESH_GRANT]: { grant_type: REFRESH_GRANT, ...APP, refresh_token: TOKENS.refresh_token },
    device_code: { grant_type: DEVICE_GRANT, ...APP, device_code: CODES.device_code },
  },
  {
    200: answer('The tokens.', { $ref: '#/components/schemas/Tokens' }, TOKENS),
    400: failure(
      'The request is wrong, or the grant is not valid. In the device flow, the error says whether to keep polling.',
      ...(['invalid_request', 'invalid_grant', 'invalid_scope'] as const),
      ...(['unauthorized_client', 'unsupported_grant_type'] as const),
      ...(['authorization_pending', 'slow_down', 'access_denied', 'expired_token'] as const),
    ),
    401: REFUSED,
  },
);

export const documentDeviceCode = describe(
  {
    operationId: 'deviceCode',
    summary: 'Start the device flow',
    description:
      'Returns a user code to show, and a device code to poll the token endpoint with. Always show the user code. If you can, also show `verification_uri_complete` as a link or QR code.',
  },
  ['client_id'],
  { client_id: CLIENT.client_id },
  { app: APP },
  {
    200: answer('The codes.', { $ref: '#/components/schemas/DeviceCode' }, CODES),
    400: failure('A parameter is missing, repeated or wrong.', 'invalid_request', 'invalid_scope'),
    401: failure('The app is unknown, or may not use the device flow.', 'invalid_client'),
    429: foreign('Your network has started too many device flows in a second.', 'tooManyRequests'),
  },
);

export const documentRevoke = describe(
  {
    operationId: 'revoke',
    summary: 'Revoke a token',
    description:
      'Revokes an access token or a refresh token, and the other one of the pair. An unknown token gets the same response.',
  },
  ['token'],
  { token: secret('The access token, or the refresh token.'), ...CLIENT },
  { token: { token: TOKENS.access_token, ...APP } },
  {
    200: answer('The token no longer works.', { type: 'object' }, {}),
    400: failure('A parameter is missing or repeated.', 'invalid_request'),
    401: REFUSED,
  },
);
