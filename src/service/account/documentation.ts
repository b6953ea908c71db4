/** The documentation of `/v1/account`, in addition to its schemas. */
import type { SwaggerTransform } from '@fastify/swagger';
import { Failure, type FailureCode } from '../failures.ts';

const failure = (description: string, ...codes: readonly FailureCode[]) => ({
  description,
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/Message' },
      examples: Object.fromEntries(
        codes.map((code) => [code, { summary: code, value: { message: new Failure(code).message } }]),
      ),
    },
  },
});

export const documentAccount: SwaggerTransform = ({ url }) => ({
  url,
  schema: {
    tags: ['Account'],
    summary: 'Read the account',
    description:
      'Returns the owner and the credits of the account of the key. A test key also returns the real figures.',
    operationId: 'account',
    security: [{ bearer: [] }, { apiKey: [] }, { accessToken: [] }],
    response: {
      200: {
        description: 'The account.',
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Account' },
            examples: {
              account: {
                summary: 'An account with credits',
                value: { owner_email: 'owner@example.com', available_credits: 1000 },
              },
            },
          },
        },
      },
      401: failure('The request has no credential.', 'credentialMissing'),
      403: failure(
        'The key is not accepted here, is a public key, or has no account.',
        'refused',
        'publicKeyRefused',
        'noAccount',
      ),
      429: failure('The account has sent too many requests in a second.', 'tooManyRequests'),
      503: failure(
        'The service has no database, or it cannot be reached.',
        'databaseAway',
        'databaseMissing',
      ),
    },
  },
});
