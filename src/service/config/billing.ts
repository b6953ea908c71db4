/** The sections `billing` and `credits`: the billing service for missing credits, and refunds. */
import { type Static, Type } from '@sinclair/typebox';
import { ConfigError } from './failure.ts';
import { isHttpUrl, yesNo } from './parts.ts';

export const BillingSchema = Type.Object(
  {
    url: Type.String({
      expected: 'an http or https URL',
      secret: true,
      description: 'Where the service asks for credits.',
    }),
    secret: Type.String({
      description: 'Signs the requests, as [Standard Webhooks](https://www.standardwebhooks.com) says.',
      pattern: '^whsec_[A-Za-z0-9+/]{24,}={0,2}$',
      expected: 'whsec_ followed by at least 24 characters of base64',
      secret: true,
    }),
  },
  { additionalProperties: false, expected: 'an object with url and secret' },
);
export type Billing = Static<typeof BillingSchema>;

export const CreditsSchema = Type.Object(
  {
    refundUnknown: yesNo('Whether a result `unknown` gives its credit back.', true),
  },
  { additionalProperties: false, expected: 'an object' },
);

/** @throws {ConfigError} for a URL that is not http or https */
export function checkBilling({ url }: Billing): void {
  if (isHttpUrl(url)) return;
  throw new ConfigError('Expected billing.url to be an http or https URL, got a string that is not.');
}
