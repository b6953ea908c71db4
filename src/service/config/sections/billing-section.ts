/** The sections `billing` and `credits`: the billing service for missing credits, and refunds. */
import { type Static, Type } from '@sinclair/typebox';
import { ConfigError } from '../config-error.ts';
import { isHttpUrl, yesNo } from './shared-schemas.ts';

export const BillingSchema = Type.Object(
  {
    url: Type.String({
      expected: 'an http or https URL',
      secret: true,
      description:
        'The URL of your billing service. The service requests credits from it if an account has too few.',
    }),
    secret: Type.String({
      description:
        'The secret that signs these requests, as [Standard Webhooks](https://www.standardwebhooks.com) specifies.',
      pattern: '^whsec_[A-Za-z0-9+/]{24,}={0,2}$',
      expected: 'whsec_ followed by at least 24 characters of base64',
      secret: true,
    }),
  },
  {
    title: 'Billing',
    description:
      'Without these settings, a request of an account without credits gets a 402. See [Billing](service.md#billing).',
    additionalProperties: false,
    expected: 'an object with url and secret',
  },
);
export type Billing = Static<typeof BillingSchema>;

export const CreditsSchema = Type.Object(
  {
    refundUnknown: yesNo('Whether a result `unknown` gives its credit back.', true),
  },
  {
    title: 'Credits',
    description: 'See [Credits](service.md#credits).',
    additionalProperties: false,
    expected: 'an object',
  },
);

/** @throws {ConfigError} for a URL that is not http or https */
export function checkBilling({ url }: Billing): void {
  if (isHttpUrl(url)) return;
  throw new ConfigError('Expected billing.url to be an http or https URL, got a string that is not.');
}
