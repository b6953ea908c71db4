/** What the documentation of each webhook says of its signature. */
import type { OpenAPIV3_1 } from 'openapi-types';
import { Webhook } from 'standardwebhooks';
import { webhookHeaders } from '../core/webhook-signature.ts';

/** So that a receiver can be tried with the examples. No account has it. */
export const SECRET = `whsec_${Buffer.from('an example, and nobody’s secret').toString('base64')}`;

/** The headers of Standard Webhooks, with those of an example. */
export function signatureHeaders(id: string, body: unknown): OpenAPIV3_1.ParameterObject[] {
  const at = new Date('2026-01-01T00:00:00Z');
  const examples = webhookHeaders([new Webhook(SECRET)], id, at, JSON.stringify(body));
  const header = (name: string, description: string): OpenAPIV3_1.ParameterObject => ({
    ...{ name, in: 'header', required: true, description },
    ...{ schema: { type: 'string' }, example: examples[name] },
  });
  return [
    header(
      'webhook-id',
      'The id of the message, the same for each try. Ignore an id that you have processed.',
    ),
    header('webhook-timestamp', 'When this try was sent, in seconds since 1970. Refuse old ones.'),
    header(
      'webhook-signature',
      'The signature of id, timestamp and body. While the secret is rolled, there are two, separated by a space.',
    ),
  ];
}
