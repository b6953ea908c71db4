/** The documentation of notices, as a webhook of OpenAPI. */
import type { OpenAPIV3_1 } from 'openapi-types';
import { signatureHeaders } from '../webhooks/webhook-documentation.ts';
import { toNotice } from './notice-body.ts';

const EXAMPLE = toNotice({
  ...{ account_id: 'acc_0f4b8c1d2e3f405162738495', owner_email: 'ada@example.com', available: 1_000 },
  ...{ needed: 2_143, days_left: 1.4, told_at: new Date('2026-01-01T00:00:00Z') },
});

/** The request that the service sends when the credits of an account run low. */
export const NOTICE = {
  post: {
    tags: ['Account'],
    summary: 'Learn that credits run low',
    description:
      'When the credits of an account run low, the service sends this request once to the notice URL, which the owner sets on the dashboard. It is signed, and sent again, as the callback of a batch is. The next notice follows only after the account had enough credits in between.',
    operationId: 'creditsLow',
    security: [],
    parameters: signatureHeaders('msg_2f1c0d9e-6f96-4e3a-9d53-7f2f6a1f0b7c', EXAMPLE),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Notice' }, example: EXAMPLE } },
    },
    responses: {
      200: { description: 'The receiver has the notice. Its body does not matter.' },
      default: { description: 'The receiver does not have it yet. The service sends the request again.' },
    },
  },
} satisfies OpenAPIV3_1.PathItemObject;
