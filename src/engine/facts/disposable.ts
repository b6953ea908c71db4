/** Whether a domain hands out mailboxes that are thrown away. */
import { getDomain } from 'tldts';
import { isPublicSuffix } from '../address/domain.ts';
import type { Lists, Names } from './lists.ts';

/**
 * Relays forward to a person's real mailbox for as long as that person wishes: the address is as lasting as any.
 * Lists of disposable domains take them in from time to time.
 */
const RELAYS: ReadonlySet<string> = new Set([
  'privaterelay.appleid.com',
  'icloud.com',
  'mozmail.com',
  'relay.firefox.com',
  'duck.com',
  // SimpleLogin and Proton Pass
  'simplelogin.com',
  'simplelogin.co',
  'simplelogin.io',
  'simplelogin.fr',
  'aleeas.com',
  'slmail.me',
  'slmails.com',
  'silomails.com',
  '8alias.com',
  '8shield.net',
  'dralias.com',
  'passmail.net',
  'passmail.com',
  'passinbox.com',
  'passfwd.com',
  // addy.io, formerly AnonAddy
  'anonaddy.com',
  'anonaddy.me',
  'addy.io',
  'addymail.com',
  // Fastmail
  'fastmail.com',
  'fastmail.fm',
]);

/** @param domain in ASCII */
export function isDisposable(
  domain: string,
  { disposableDomains }: Pick<Lists, 'disposableDomains'>,
): boolean {
  return isListed(domain, domain, disposableDomains) && !isRelay(domain) && !isPublicSuffix(domain);
}

/** Whether the name, or any above it that is in the same hands as the domain, is on the list. */
function isListed(domain: string, name: string, list: Names): boolean {
  if (list.has(name)) return isInSameHands(domain, name);
  const dot = name.indexOf('.');
  return dot >= 0 && isListed(domain, name.slice(dot + 1), list);
}

/**
 * Whether whoever has the domain has the name above it as well: `a.b.example.com` → `b.example.com`, `example.com`.
 * Lists hold some names that anybody can register under (`eu.org`): their other tenants are no concern of each other.
 */
function isInSameHands(domain: string, name: string): boolean {
  const registered = getDomain(domain, { allowPrivateDomains: true });
  return name === domain || (registered !== null && name.length >= registered.length);
}

/** Whether the domain, or any above it, is a relay's. */
function isRelay(domain: string): boolean {
  const dot = domain.indexOf('.');
  return RELAYS.has(domain) || (dot >= 0 && isRelay(domain.slice(dot + 1)));
}
