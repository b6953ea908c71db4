/** The documentation of the OAuth endpoints, in addition to their schemas. */
import type { SwaggerTransform } from '@fastify/swagger';
import { type OAuthErrorCode, OAuthFailure, oauthFailureBody } from './errors.ts';
import { GRANT_TYPES } from './grant-types.ts';

const text = (description: string) => ({ type: 'string', description });
const CLIENT = {
  client_id: text(
    'The id of the app. You can send it in the `Authorization` header instead, with the secret.',
  ),
  client_secret: text(
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

const failure = (description: string, ...codes: readonly OAuthErrorCode[]) => ({
  description,
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/OAuthError' },
      examples: Object.fromEntries(
        codes.map((code) => [code, { summary: code, value: oauthFailureBody(new OAuthFailure(code)) }]),
      ),
    },
  },
});

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
  response: Readonly<Record<string, object>>,
): SwaggerTransform {
  const schema = { type: 'object', required, properties };
  return ({ url }) => ({
    url,
    schema: {
      tags: ['OAuth'],
      ...operation,
      security: [],
      body: { content: { 'application/x-www-form-urlencoded': { schema } } },
      response,
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
    code: text('With `authorization_code`: the code from the redirect.'),
    redirect_uri: text('With `authorization_code`: the same as in the authorization request.'),
    code_verifier: text(
      'With `authorization_code`: the PKCE verifier, if the authorization request had a challenge.',
    ),
    refresh_token: text('With `refresh_token`: the latest refresh token.'),
    device_code: text('With the device grant: the device code. No secret is needed.'),
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
  {
    200: answer('The codes.', { $ref: '#/components/schemas/DeviceCode' }, CODES),
    400: failure('A parameter is missing, repeated or wrong.', 'invalid_request', 'invalid_scope'),
    401: failure('The app is unknown, or may not use the device flow.', 'invalid_client'),
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
  { token: text('The access token, or the refresh token.'), ...CLIENT },
  {
    200: answer('The token no longer works.', { type: 'object' }, {}),
    400: failure('A parameter is missing or repeated.', 'invalid_request'),
    401: REFUSED,
  },
);
