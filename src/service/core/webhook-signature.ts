/** The headers of all requests that the service sends to receivers: user agent, and signature (Standard Webhooks). */
import type { Webhook } from 'standardwebhooks';
import { version } from '../package.json';

/**
 * The headers for a JSON body, signed by Standard Webhooks (its specification, "Webhook headers").
 *
 * @param webhooks one for each secret that signs. Several signatures have spaces between them, so that a receiver with
 *   any of the secrets takes the message while one is rolled ("Webhook signature rotation").
 */
export function webhookHeaders(
  webhooks: readonly Webhook[],
  id: string,
  at: Date,
  body: string,
): Readonly<Record<string, string>> {
  return {
    'content-type': 'application/json',
    'user-agent': `email-verify-service/${version}`,
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': webhooks.map((webhook) => webhook.sign(id, at, body)).join(' '),
  };
}
