/** The documentation of callbacks, as a webhook of OpenAPI. */
import type { OpenAPIV3_1 } from 'openapi-types';
import { SECRET, signatureHeaders } from '../../webhooks/webhook-documentation.ts';
import { COMPLETED } from '../batch-examples.ts';

/** The request that the service sends when a batch is completed. */
export const CALLBACK = {
  post: {
    tags: ['Batch'],
    summary: 'Receive a completed batch',
    description: `When a batch is completed, the service sends this request to the \`url\` of the batch. The body is the same JSON as \`GET /v1/batch\` returns. Only a 200 within 30 seconds counts as delivered. After any other response, the service sends the request again every hour for 3 days. It follows no redirects.

The three headers are those of Standard Webhooks. Verify the signature with the secret of the account, which the dashboard shows. The example is signed with \`${SECRET}\`, and its body has no white space.`,
    operationId: 'batchCompleted',
    security: [],
    parameters: signatureHeaders('msg_6f9619ff8b86d011b42d00c1', COMPLETED.small.value),
    requestBody: {
      required: true,
      content: {
        'application/json': { schema: { $ref: '#/components/schemas/BatchStatus' }, examples: COMPLETED },
      },
    },
    responses: {
      200: { description: 'The receiver has the batch. Its body does not matter.' },
      default: { description: 'The receiver does not have it yet. The service sends the request again.' },
    },
  },
} satisfies OpenAPIV3_1.PathItemObject;
