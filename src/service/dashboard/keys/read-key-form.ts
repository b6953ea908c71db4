/** Reads the form of a key, by the same rules as `admin key create`. */
import { isIP } from 'node:net';
import {
  type CaptchaProvider,
  OWN_SITEVERIFY_URLS,
  SITEVERIFY_URLS,
} from '../../captcha/captcha-providers.ts';
import { ConfigError } from '../../config/config-error.ts';
import { bareHost, checkDomain, checkIp } from '../../config/sections/keys-section.ts';
import { isHttpUrl, quote } from '../../config/sections/shared-schemas.ts';
import { counted } from '../../core/format.ts';
import { MOST_DAILY_CREDITS } from '../../keys/manage/manage-keys.ts';
import type { KeySettings, OwnKey } from '../../keys/manage/manage-keys-store.ts';
import type { Fault, Fields } from '../form-fields.ts';
import { isOneLine, readWords, whyNotName } from '../read-lines.ts';

/** How many domains or IP addresses a key may have. */
const MOST_ENTRIES = 100;
const MOST_SECRET = 1_000;
const MOST_URL = 2_000;

export type Kind = OwnKey['kind'];

export interface Rules {
  readonly kind: Kind;
  readonly mode: OwnKey['mode'];
  /** The stored key. Absent for a new one. */
  readonly stored?: OwnKey | undefined;
  /**
   * Whether the operator allows requests to any host. If not, the siteverify URL must be the provider's. Otherwise, an
   * owner could use it to reach the operator's network.
   */
  readonly allowAnyUrl: boolean;
}

class FormError extends Error {
  constructor(
    readonly field: string,
    message: string,
  ) {
    super(message);
  }
}

export const textOf = (fields: Fields, name: string): string => fields.get(name)?.trim() ?? '';

/** @returns the settings, or the first fault */
export function readSettings(fields: Fields, rules: Rules): KeySettings | Fault {
  try {
    const name = textOf(fields, 'name');
    const why = whyNotName(name, 'key');
    if (why !== undefined) throw new FormError('name', why);
    const { kind } = rules;
    refuseForeign(fields, kind);
    const trusted_domains = kind === 'public' ? readDomains(fields) : [];
    const trusted_ips = kind === 'private' ? readIps(fields, rules) : [];
    const daily_credits = readDailyCredits(fields, rules);
    return { name, trusted_domains, trusted_ips, daily_credits, ...readCaptcha(fields, rules) };
  } catch (error) {
    if (error instanceof FormError) return { field: error.field, message: error.message };
    throw error;
  }
}

/** Refuses fields of the other kind of key. They would have no effect, and the owner expects one. */
function refuseForeign(fields: Fields, kind: Kind): void {
  const foreign =
    kind === 'public'
      ? ['trusted_ips']
      : ['trusted_domains', 'captcha', 'captcha_secret', 'siteverify_url', 'daily_credits'];
  const found = foreign.find((field) => textOf(fields, field) !== '');
  if (found === undefined) return;
  const [what, other] =
    kind === 'public'
      ? ['trusted IP addresses', 'private']
      : ['trusted domains, captchas and limits of credits', 'public'];
  throw new FormError(found, `A ${kind} key cannot have ${what}. Empty the field, or make the key ${other}.`);
}

function readEntries(
  fields: Fields,
  field: string,
  what: string,
  read: (entry: string, place: string, line: number) => string,
): string[] {
  const entries = readWords(fields.get(field) ?? '');
  if (entries.length > MOST_ENTRIES)
    throw new FormError(
      field,
      `Expected at most ${MOST_ENTRIES} ${what}, got ${entries.length}. Remove some.`,
    );
  const faults: WrongEntry[] = [];
  const found = entries.flatMap(({ entry, line }) => {
    try {
      return [read(entry, `line ${line} of the ${what}`, line)];
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      faults.push({ message: error.message, line });
      return [];
    }
  });
  if (faults.length > 0) throw new FormError(field, sayFaults(faults));
  return [...new Set(found)];
}

interface WrongEntry {
  readonly message: string;
  readonly line: number;
}

/** How many wrong entries a message explains, and of how many further lines it has the numbers. */
const MOST_FAULTS = 10;
const SERIES = new Intl.ListFormat('en-GB');

function sayFaults(faults: readonly WrongEntry[]): string {
  const said = faults.slice(0, MOST_FAULTS).map(({ message }) => message);
  const more = faults.slice(MOST_FAULTS);
  if (more.length === 0) return said.join(' ');
  const lines = [...new Set(more.map(({ line }) => `${line}`))];
  const named = lines.slice(0, MOST_FAULTS);
  const where = SERIES.format(lines.length > MOST_FAULTS ? [...named, 'later ones'] : named);
  const rest = `${counted(more.length, 'more entry is', 'more entries are')} wrong, in ${lines.length === 1 ? 'line' : 'the lines'} ${where}.`;
  return [...said, rest].join(' ');
}

function readDomains(fields: Fields): string[] {
  const domains = readEntries(fields, 'trusted_domains', 'trusted domains', (entry, place, line) => {
    const host = hostIn(entry);
    if (!host)
      throw new ConfigError(
        `Line ${line} has no host name: ${quote(entry)}. Expected one such as shop.example, or the URL of a page.`,
      );
    checkDomain(host, place);
    return host;
  });
  if (domains.length > 0) return domains;
  const message = 'A public key needs at least one trusted domain. Type the host name of your site.';
  throw new FormError('trusted_domains', message);
}

/** The host of a host name, of a host with a port or a path, or of a URL. A trusted domain covers all of its pages. */
function hostIn(entry: string): string | undefined {
  if (/^https?:\/\//i.test(entry)) return URL.canParse(entry) ? bareHost(new URL(entry).hostname) : undefined;
  // A range of IP addresses is not a host with a path.
  if (/^[\d.]+\/\d+$/.test(entry)) return undefined;
  const host = entry.replace(/\/.*$/s, '');
  return bareHost(isIP(host) === 6 ? host : host.replace(/:\d{1,5}$/, ''));
}

function readIps(fields: Fields, { stored }: Rules): string[] {
  const entries = readEntries(fields, 'trusted_ips', 'trusted IP addresses', (entry, place) => {
    checkIp(entry, place);
    return entry;
  });
  const isLoosened = entries.length === 0 && (stored?.trusted_ips.length ?? 0) > 0;
  if (isLoosened && fields.get('any_ip') !== 'yes') {
    const message =
      'Without trusted IP addresses, the key works from every IP address. If you want that, tick the box below.';
    throw new FormError('trusted_ips', message);
  }
  return entries;
}

function readDailyCredits(fields: Fields, { mode }: Rules): number | null {
  const field = 'daily_credits';
  const text = textOf(fields, field);
  if (text === '') return null;
  if (mode === 'test')
    throw new FormError(
      field,
      'A test key costs no credits. Empty the limit of credits, or make the key live.',
    );
  const credits = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (credits >= 1 && credits <= MOST_DAILY_CREDITS) return credits;
  throw new FormError(
    field,
    `Expected a whole number of credits from 1 to ${MOST_DAILY_CREDITS.toLocaleString('en')}, got ${quote(text)}. Leave the field empty for no limit.`,
  );
}

function readCaptcha(
  fields: Fields,
  { stored, allowAnyUrl }: Rules,
): Pick<KeySettings, 'captcha_provider' | 'captcha_secret' | 'siteverify_url'> {
  const provider = textOf(fields, 'captcha');
  const secret = textOf(fields, 'captcha_secret');
  const url = textOf(fields, 'siteverify_url');
  if (provider === '') {
    if (secret === '' && url === '')
      return { captcha_provider: null, captcha_secret: null, siteverify_url: null };
    throw new FormError(
      'captcha',
      'Choose the captcha provider of the secret or URL, or empty these fields.',
    );
  }
  if (!isProvider(provider))
    throw new FormError('captcha', 'Choose Turnstile, hCaptcha or reCAPTCHA as the captcha provider.');
  const isSame = stored?.captcha_provider === provider;
  const kept = isSame ? (stored?.captcha_secret ?? '') : '';
  if (secret === '' && kept === '')
    throw new FormError(
      'captcha_secret',
      "Enter the secret that the captcha provider gave you. You find it on the provider's site.",
    );
  if (secret.length > MOST_SECRET || !isOneLine(secret))
    throw new FormError(
      'captcha_secret',
      `Expected a secret of at most ${MOST_SECRET} characters in one line. Copy the secret again.`,
    );
  checkUrl(url, provider, allowAnyUrl || (isSame && url === stored?.siteverify_url));
  return { captcha_provider: provider, captcha_secret: secret || kept, siteverify_url: url || null };
}

const isProvider = (text: string): text is CaptchaProvider => Object.hasOwn(SITEVERIFY_URLS, text);

function checkUrl(url: string, provider: CaptchaProvider, allowAny: boolean): void {
  if (url === '' || OWN_SITEVERIFY_URLS[provider].includes(url)) return;
  const isUsable = url.length <= MOST_URL && isHttpUrl(url) && !hasUser(url);
  if (isUsable && allowAny) return;
  const [first = ''] = OWN_SITEVERIFY_URLS[provider];
  throw new FormError(
    'siteverify_url',
    `Expected a URL of the provider, such as ${first}. Leave the field empty for the provider's own URL.`,
  );
}

function hasUser(url: string): boolean {
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}
