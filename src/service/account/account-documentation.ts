/** The documentation of `/v1/account`, in addition to its schemas. */
import type { SwaggerTransform } from '@fastify/swagger';
import { ACCOUNT_REFUSALS, documentFailure, SECURITY } from '../core/failure-documentation.ts';
import { DATABASE_FAILURES } from '../database/database-failure.ts';

export const documentAccount: SwaggerTransform = ({ url }) => ({
  url,
  schema: {
    tags: ['Account'],
    summary: 'Read the account',
    description:
      'Returns the owner and the credits of the account of the key. A test key also returns the real figures.',
    operationId: 'account',
    security: SECURITY,
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
      ...ACCOUNT_REFUSALS,
      503: documentFailure(
        'The service has no database, or it cannot serve at the moment.',
        ...DATABASE_FAILURES,
        'databaseMissing',
      ),
    },
  },
});
