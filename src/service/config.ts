/** The config file: what it may hold, and one clear sentence for the first thing that is not right. */
import { isIP } from 'node:net';
import { type Static, Type } from '@sinclair/typebox';
import { parse as parseDomain } from 'tldts';
import { SITEVERIFY_URLS } from './captcha/providers.ts';
import { parseJson } from './json.ts';
import { normaliseHost } from './keys/host.ts';
import { isIpOrRange } from './keys/trusted-ips.ts';
import { hideKeys } from './log.ts';
import { findFault } from './schema-fault.ts';

const Captcha = Type.Object(
  {
    provider: Type.Union([Type.Literal('turnstile'), Type.Literal('hcaptcha'), Type.Literal('recaptcha')], {
      expected: Object.keys(SITEVERIFY_URLS)
        .map(quote)
        .join(', ')
        .replace(/, ([^,]*)$/, ' or $1'),
      // Of two texts side by side, either may have been put in the other's place.
      secret: true,
    }),
    secret: Type.String({ minLength: 1, expected: "the provider's secret", secret: true }),
    siteverifyUrl: Type.Optional(Type.String({ expected: 'an http or https address', secret: true })),
  },
  { additionalProperties: false, expected: 'an object with provider and secret', secret: true },
);

const KeySchema = Type.Object(
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
        {
          minItems: 1,
          expected: 'a list of at least one IP address',
        },
      ),
    ),
    captcha: Type.Optional(Captcha),
  },
  { additionalProperties: false, expected: 'an object with key and kind', secret: true },
);

const wholeNumber = (minimum: number, maximum: number) =>
  Type.Integer({ minimum, maximum, expected: `a whole number from ${minimum} to ${maximum}` });

const ConfigSchema = Type.Object(
  {
    keys: Type.Array(KeySchema, { minItems: 1, expected: 'a list of at least one key', secret: true }),
    limits: Type.Optional(
      Type.Object(
        {
          verifyPerSecond: Type.Optional(wholeNumber(1, 1_000_000)),
          uniquePerDay: Type.Optional(wholeNumber(1, 1_000_000)),
        },
        { additionalProperties: false, expected: 'an object' },
      ),
    ),
    trustProxy: Type.Optional(Type.Boolean({ expected: 'true or false' })),
    host: Type.Optional(Type.String({ minLength: 1, expected: 'a host name or an IP address' })),
    port: Type.Optional(wholeNumber(0, 65_535)),
  },
  { additionalProperties: false, expected: 'an object with keys' },
);

export type Config = Static<typeof ConfigSchema>;
export type KeyEntry = Static<typeof KeySchema>;

/** Something that whoever starts the service has to put right; the message says where and how, and quotes no key. */
export class ConfigError extends Error {
  /** @param place the file it is about, if it is about one */
  constructor(message: string, place?: string) {
    super(place === undefined ? hideKeys(message) : `${place}: ${hideKeys(message)}`);
  }
}

/**
 * @param text what is in the file
 * @throws {ConfigError} at the first thing that is not right
 */
export function readConfig(text: string): Config {
  let config: unknown;
  try {
    config = parseJson(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    // The parser's own words quote the text around the fault, which may be a secret: its position is enough.
    throw new ConfigError(`Expected JSON, but ${sayWhere(text, error as SyntaxError)}.`);
  }
  const fault = findFault(ConfigSchema, config, 'the whole file');
  if (fault) throw new ConfigError(fault);
  const { keys } = config as Config;
  keys.forEach((entry, index) => {
    checkKind(entry, `keys[${index}]`);
    const first = keys.findIndex(({ key }) => key === entry.key);
    if (first !== index) {
      throw new ConfigError(
        `Expected every key once, got that of keys[${first}] again in keys[${index}].key.`,
      );
    }
  });
  return config as Config;
}

/** What belongs to one kind of key does nothing on the other: whoever wrote it there expects something of it. */
function checkKind(entry: KeyEntry, place: string): void {
  const foreign =
    entry.kind === 'public' ? (['trustedIps'] as const) : (['trustedDomains', 'captcha'] as const);
  for (const name of foreign) {
    if (entry[name] !== undefined) {
      throw new ConfigError(`Expected no ${name} on a ${entry.kind} key, got ${place}.${name}. Remove it.`);
    }
  }
  if (entry.kind === 'public' && !entry.trustedDomains) {
    throw new ConfigError(
      `Expected ${place}.trustedDomains with at least one host name: a public key needs it.`,
    );
  }
  entry.trustedDomains?.forEach((domain, index) => {
    checkDomain(domain, `${place}.trustedDomains[${index}]`);
  });
  entry.trustedIps?.forEach((ip, index) => {
    if (isIpOrRange(ip)) return;
    throw new ConfigError(
      `Expected ${place}.trustedIps[${index}] to be an IP address such as "192.0.2.1" or a range such as "192.0.2.0/24", got ${quote(ip)}.`,
    );
  });
  const url = entry.captcha?.siteverifyUrl;
  if (url !== undefined && !(URL.canParse(url) && /^https?:$/.test(new URL(url).protocol))) {
    throw new ConfigError(
      `Expected ${place}.captcha.siteverifyUrl to be an http or https address, got a string that is not.`,
    );
  }
}

/** @throws {ConfigError} if a public key cannot trust the domain */
export function checkDomain(domain: string, place: string): void {
  const host = normaliseHost(domain);
  const hasPort = isIP(domain) === 0 && /:[^\]]*$/.test(domain);
  const isBare = !hasPort && !/[\s/@?#*\\]/.test(domain);
  if (!host || !isBare) {
    throw new ConfigError(
      `Expected ${place} to be a bare host name such as "shop.example" (its subdomains, ports and schemes are covered), got ${quote(domain)}.`,
    );
  }
  const { publicSuffix, isIcann } = parseDomain(host);
  if (isIcann && publicSuffix === host) {
    throw new ConfigError(
      `Expected ${place} to be a domain of your own, got ${quote(domain)}, which anybody can be under.`,
    );
  }
}

function sayWhere(text: string, { message }: SyntaxError): string {
  if (message.includes('there twice')) return message;
  const position = /position (\d+)/.exec(message)?.[1];
  // Older engines name the character only.
  const character = /^Unexpected token (.+?),/s.exec(message)?.[1];
  if (position === undefined) return character ? `${character} is where it cannot be` : 'it breaks off';
  const before = text.slice(0, Number(position)).split('\n');
  return `it goes wrong at line ${before.length}, column ${before.at(-1)!.length + 1}`;
}

function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
