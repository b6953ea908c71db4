/** The section `keys`: keys without an account, and their restrictions. */
import { isIP } from 'node:net';
import { type Static, Type } from '@sinclair/typebox';
import { parse as parseDomain } from 'tldts';
import { normaliseHost } from '../../../shared/host-name.ts';
import { isIpOrRange } from '../../../shared/ip.ts';
import { SITEVERIFY_URLS } from '../../captcha/captcha-providers.ts';
import { ConfigError } from '../config-error.ts';
import { isHttpUrl, quote } from './shared-schemas.ts';

const Captcha = Type.Object(
  {
    provider: Type.Union([Type.Literal('turnstile'), Type.Literal('hcaptcha'), Type.Literal('recaptcha')], {
      expected: Object.keys(SITEVERIFY_URLS)
        .map(quote)
        .join(', ')
        .replace(/, ([^,]*)$/, ' or $1'),
      // The provider and the secret are easily swapped, so messages must not quote either.
      secret: true,
    }),
    secret: Type.String({ minLength: 1, expected: "the provider's secret", secret: true }),
    siteverifyUrl: Type.Optional(Type.String({ expected: 'an http or https URL', secret: true })),
  },
  { additionalProperties: false, expected: 'an object with provider and secret', secret: true },
);

export const KeySchema = Type.Object(
  {
    key: Type.String({
      pattern: '^(test|live)_[A-Za-z0-9_-]+$',
      expected: 'test_ or live_ followed by letters, digits, _ or -',
      secret: true,
    }),
    kind: Type.Union([Type.Literal('public'), Type.Literal('private')], {
      expected: '"public" or "private"',
    }),
    trustedDomains: Type.Optional(
      Type.Array(Type.String({ expected: 'a host name such as "shop.example"' }), {
        minItems: 1,
        expected: 'a list of at least one host name',
      }),
    ),
    trustedIps: Type.Optional(
      Type.Array(
        Type.String({ expected: 'an IP address such as "192.0.2.1", or a range such as "192.0.2.0/24"' }),
        { minItems: 1, expected: 'a list of at least one IP address' },
      ),
    ),
    captcha: Type.Optional(Captcha),
  },
  { additionalProperties: false, expected: 'an object with key and kind', secret: true },
);

export type KeyEntry = Static<typeof KeySchema>;

/** @throws {ConfigError} for the first wrong or repeated key */
export function checkKeys(keys: readonly KeyEntry[]): void {
  keys.forEach((entry, index) => {
    checkKind(entry, `keys[${index}]`);
    const first = keys.findIndex(({ key }) => key === entry.key);
    if (first !== index) {
      throw new ConfigError(
        `Expected every key once, got the key of keys[${first}] again in keys[${index}].key.`,
      );
    }
  });
}

/** Refuses settings of the other kind of key. They would have no effect, and the operator expects one. */
function checkKind(entry: KeyEntry, place: string): void {
  const foreign =
    entry.kind === 'public' ? (['trustedIps'] as const) : (['trustedDomains', 'captcha'] as const);
  for (const name of foreign) {
    if (entry[name] !== undefined)
      throw new ConfigError(`Expected no ${name} on a ${entry.kind} key, got ${place}.${name}. Remove it.`);
  }
  if (entry.kind === 'public' && !entry.trustedDomains) {
    throw new ConfigError(
      `Expected ${place}.trustedDomains with at least one host name, because a public key needs it.`,
    );
  }
  entry.trustedDomains?.forEach((domain, index) => {
    checkDomain(domain, `${place}.trustedDomains[${index}]`);
  });
  entry.trustedIps?.forEach((ip, index) => {
    checkIp(ip, `${place}.trustedIps[${index}]`);
  });
  const url = entry.captcha?.siteverifyUrl;
  if (url !== undefined && !isHttpUrl(url)) {
    throw new ConfigError(
      `Expected ${place}.captcha.siteverifyUrl to be an http or https URL, got a string that is not.`,
    );
  }
}

/** @throws {ConfigError} if the text is not an IP address or a range */
export function checkIp(ip: string, place: string): void {
  if (isIpOrRange(ip)) return;
  throw new ConfigError(
    `Expected ${place} to be an IP address such as "192.0.2.1" or a range such as "192.0.2.0/24", got ${quote(ip)}.`,
  );
}

/** @returns the host name or IP address in normal form, or undefined for any other text */
export function bareHost(domain: string): string | undefined {
  const hasPort = isIP(domain) === 0 && /:[^\]]*$/.test(domain);
  const isBare = !hasPort && !/[\s/@?#*\\]/.test(domain);
  return (isBare && normaliseHost(domain)) || undefined;
}

/** @throws {ConfigError} if the text is not a host name that can have a single owner */
export function checkDomain(domain: string, place: string): void {
  const host = bareHost(domain);
  if (!host) {
    throw new ConfigError(
      `Expected ${place} to be a bare host name such as "shop.example" (its subdomains, ports and schemes are covered), got ${quote(domain)}.`,
    );
  }
  const { publicSuffix, isIcann } = parseDomain(host);
  if (isIcann && publicSuffix === host) {
    throw new ConfigError(
      `Expected ${place} to be a domain of your own, got ${quote(domain)}, under which anyone can register.`,
    );
  }
}
