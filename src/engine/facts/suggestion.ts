/**
 * Suggests a correction for a mistyped address. No suggestion is better than a wrong one, and without the DNS a strange
 * domain may exist. So it corrects only typing errors in the names of the largest providers, and endings that do not
 * exist.
 */
import { parse } from 'tldts';
import { MAX_DOMAIN_LENGTH, toAsciiDomain } from '../address/domain.ts';
import { splitAddress } from '../address/parts.ts';
import { isAddress } from '../address/syntax.ts';
import { LARGE_DOMAINS, LARGE_PROVIDERS } from './large-providers.ts';
import { isTypo } from './typo.ts';

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
  const lower = domain.toLowerCase();
  const meant = fromPunctuation(lower) ?? fromTypos(lower);
  if (meant === undefined) return null;
  const suggestion = `${local}@${meant}`;
  return isAddress(suggestion) ? suggestion : null;
}

/** Corrects text that cannot be a domain: `gmail,com`, `gmail..com`, `gmailcom`. */
function fromPunctuation(domain: string): string | undefined {
  const isDomain = domain.includes('.') && toAsciiDomain(domain) !== undefined;
  if (isDomain) return undefined;
  const letters = domain.replace(/[.,;:]/g, '');
  return LARGE_DOMAINS.find((meant) => letters === meant.replaceAll('.', ''));
}

function fromTypos(domain: string): string | undefined {
  if (REAL.has(domain) || LARGE_DOMAINS.includes(domain)) return undefined;
  const dot = domain.indexOf('.');
  const label = domain.slice(0, dot);
  const ending = domain.slice(dot + 1);
  if (dot < 0) return undefined;
  for (const host of LARGE_PROVIDERS) {
    if (label !== host.label && !isTypo(label, host.label)) continue;
    const meant = host.endings.find((other) => ending === other || isBrokenEnding(label, ending, other));
    if (meant !== undefined) return `${host.label}.${meant}`;
  }
  // The ending does not exist, so the domain cannot exist either, whatever comes before it.
  const lastDot = domain.lastIndexOf('.');
  const topLevel = domain.slice(lastDot + 1);
  const common = ['com', 'net', 'org'].filter((other) => isBrokenEnding('', topLevel, other));
  return common.length === 1 ? `${domain.slice(0, lastDot)}.${common[0]}` : undefined;
}

/** An ending with one typing error that does not exist, or an incomplete `com`. */
function isBrokenEnding(label: string, ending: string, meant: string): boolean {
  if (meant === 'com' && CUT_SHORT.includes(ending)) return LARGEST.includes(label);
  return isTypo(ending, meant) && !parse(`x.${ending}`).isIcann;
}
