/**
 * Suggests a correction for a mistyped address. No suggestion is better than a wrong one, and without the DNS a strange
 * domain may exist. So it corrects only typing errors in the names of the largest providers, and endings that do not
 * exist.
 */
import { parse } from 'tldts';
import { MAX_DOMAIN_LENGTH, toAsciiDomain } from '../address/domain.ts';
import { splitAddress } from '../address/parts.ts';
import { isAddress } from '../address/syntax.ts';
import { isSlip } from './slip.ts';

/**
 * The providers to correct, the largest first, with their endings. Names with fewer than five letters and plain words
 * are left out, because they are too similar to other names.
 */
const HOSTS = Object.entries({
  gmail: 'com',
  yahoo: 'com co.uk fr de it es ca in com.br co.in co.jp com.au com.mx com.ar',
  hotmail: 'com co.uk fr de it es be nl ca se',
  outlook: 'com fr de es it jp com.br',
  icloud: 'com',
  googlemail: 'com',
  protonmail: 'com ch',
  comcast: 'net',
  verizon: 'net',
  sbcglobal: 'net',
  bellsouth: 'net',
  earthlink: 'net',
  btinternet: 'com',
  virginmedia: 'com',
  't-online': 'de',
  wanadoo: 'fr',
  laposte: 'net',
  tiscali: 'it co.uk',
  bigpond: 'com net.au',
  fastmail: 'com fm',
  rocketmail: 'com',
  yandex: 'ru com',
}).map(([label, endings]) => ({ label, endings: endings.split(' ') }));

const DOMAINS = HOSTS.flatMap(({ label, endings }) => endings.map((ending) => `${label}.${ending}`));

/** Real domains that look like a typing error in one of these. */
const REAL = new Set(['gail.com']);
const LARGEST = ['gmail', 'yahoo', 'hotmail', 'outlook', 'icloud'];
/** Incomplete `.com`. These are endings of countries in which the largest providers have no mailboxes. */
const CUT_SHORT = ['co', 'cm', 'om'];

/** @returns the suggested address, or `null` */
export function suggestAddress(address: string): string | null {
  const { local, domain } = splitAddress(address);
  // A typing error adds one character. Much longer text needs no search.
  if (domain.length > MAX_DOMAIN_LENGTH) return null;
  const meant = suggestDomain(domain.toLowerCase());
  if (meant === undefined) return null;
  const suggestion = `${local}@${meant}`;
  return isAddress(suggestion) ? suggestion : null;
}

/** Whether the address is at one of the largest providers. A typing error in their names is never meant, even if it exists. */
export function isAtLargeProvider(address: string): boolean {
  return DOMAINS.includes(splitAddress(address).domain);
}

function suggestDomain(domain: string): string | undefined {
  return fromPunctuation(domain) ?? fromSlips(domain);
}

/** Corrects text that cannot be a domain: `gmail,com`, `gmail..com`, `gmailcom`. */
function fromPunctuation(domain: string): string | undefined {
  const isDomain = domain.includes('.') && toAsciiDomain(domain) !== undefined;
  if (isDomain) return undefined;
  const letters = domain.replace(/[.,;:]/g, '');
  return DOMAINS.find((meant) => letters === meant.replaceAll('.', ''));
}

function fromSlips(domain: string): string | undefined {
  if (REAL.has(domain) || DOMAINS.includes(domain)) return undefined;
  const dot = domain.indexOf('.');
  const label = domain.slice(0, dot);
  const ending = domain.slice(dot + 1);
  if (dot < 0) return undefined;
  for (const host of HOSTS) {
    if (label !== host.label && !isSlip(label, host.label)) continue;
    const meant = host.endings.find((other) => ending === other || isBrokenEnding(label, ending, other));
    if (meant !== undefined) return `${host.label}.${meant}`;
  }
  // The ending does not exist, so the domain cannot exist either, whatever comes before it.
  const common = ['com', 'net', 'org'].filter((other) => isBrokenEnding('', lastLabel(ending), other));
  return common.length === 1 ? `${domain.slice(0, domain.lastIndexOf('.'))}.${common[0]}` : undefined;
}

/** An ending with one typing error that does not exist, or an incomplete `com`. */
function isBrokenEnding(label: string, ending: string, meant: string): boolean {
  if (meant === 'com' && CUT_SHORT.includes(ending)) return LARGEST.includes(label);
  return isSlip(ending, meant) && !parse(`x.${ending}`).isIcann;
}

function lastLabel(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}
