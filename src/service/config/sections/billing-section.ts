/** The sections `billing` and `credits`: the billing service for missing credits, and refunds. */
import type { Static } from '@sinclair/typebox';
import { ConfigError } from '../config-error.ts';
import { isHttpUrl, MAX_LIMIT, optionalNumber, optionalText, section, yesNo } from './shared-schemas.ts';

/** How many payments an account may have in 24 hours, unless the config says otherwise. */
const PER_DAY = 20;

export const BillingSchema = section(
  {
    url: optionalText(
      'an http or https URL',
      'The URL of your billing service. The service requests credits from it if an account has too few.',
      { secret: true },
    ),
    secret: optionalText(
      'whsec_ followed by at least 24 characters of base64',
      'The secret that signs these requests, as [Standard Webhooks](https://www.standardwebhooks.com) specifies. Required with `billing.url`.',
      { pattern: '^whsec_[A-Za-z0-9+/]{24,}={0,2}$', secret: true },
    ),
    page: optionalText(
      'an http or https URL',
      'The URL of the page on which people buy credits. `{account}` in it becomes the id of their account. Pages and the 402 link to it where credits are missing or run low. It works without `billing.url`.',
    ),
    perDay: optionalNumber(1, MAX_LIMIT, {
      description:
        'How many payments an account may have in 24 hours. Then its requests get a 402 that says so, so that a loop does not charge a card all night. Refused payments count too.',
      default: PER_DAY,
    }),
    publicKeys: yesNo(
      'Whether missing credits of a public key are paid too. Visitors of a page could then cause payments.',
      false,
    ),
  },
  {
    title: 'Billing',
    description:
      'Without these settings, a request of an account without credits gets a 402. See [Billing](service.md#billing).',
    expected: 'an object with url and secret, or with page',
  },
);
type BillingSection = Static<typeof BillingSchema>;

/** The billing service, with the defaults. */
export type BillingSettings = Required<Omit<BillingSection, 'page'>>;

/** @returns undefined without a billing service */
export function settleBilling(billing: BillingSection): BillingSettings | undefined {
  const { url, secret, perDay = PER_DAY, publicKeys = false } = billing;
  if (url === undefined || secret === undefined) return undefined;
  return { url, secret, perDay, publicKeys };
}

const MOST_LOW = 1_000_000_000;

export const CreditsSchema = section(
  {
    refundUnknown: yesNo('Whether a result `unknown` gives its credit back.', true),
    forecast: yesNo(
      'Whether the [sample of a list](dashboard.md#forecast) that is verified before its batch costs no credits.',
      false,
    ),
    low: optionalNumber(1, MOST_LOW, {
      description:
        'An account with fewer credits [is told](dashboard.md#running-low) that they run low, whatever its pace. Without it, only the pace of the last 7 days counts.',
    }),
  },
  { title: 'Credits', description: 'See [Credits](service.md#credits).' },
);

/** What a URL of a page has for the id of an account. */
export const ACCOUNT_IN_PAGE = '{account}';

/** @throws {ConfigError} for a URL that is not http or https, and for settings that have no effect alone */
export function checkBilling({ url, secret, page, perDay, publicKeys }: BillingSection): void {
  if (url === undefined) {
    const hasService = secret !== undefined || perDay !== undefined || publicKeys !== undefined;
    if (hasService || page === undefined)
      throw new ConfigError('Expected billing.url to be an http or https URL, got nothing.');
  } else if (secret === undefined)
    throw new ConfigError(
      'Expected billing.secret to be the secret that signs requests to billing.url, got nothing.',
    );
  const urls = { 'billing.url': url, 'billing.page': page?.replaceAll(ACCOUNT_IN_PAGE, 'id') };
  for (const [name, text] of Object.entries(urls)) {
    if (text !== undefined && !isHttpUrl(text))
      throw new ConfigError(`Expected ${name} to be an http or https URL, got a string that is not.`);
  }
}
