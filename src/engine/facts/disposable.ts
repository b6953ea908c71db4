/** Recognises domains of disposable mailboxes. */
import { getDomain } from 'tldts';
import { isPublicSuffix } from '../address/domain.ts';
import type { Lists, Names } from './lists.ts';

/**
 * Relays forward to a person's real mailbox for as long as that person wishes. Their addresses are permanent, but lists
 * of disposable domains sometimes contain them.
 */
export const RELAYS: ReadonlySet<string> = new Set([
  ...['privaterelay.appleid.com', 'icloud.com', 'mozmail.com', 'relay.firefox.com', 'duck.com'],
  // SimpleLogin and Proton Pass
  ...['simplelogin.com', 'simplelogin.co', 'simplelogin.io', 'simplelogin.fr', 'aleeas.com', 'slmail.me'],
  ...['slmails.com', 'silomails.com', '8alias.com', '8shield.net', 'dralias.com'],
  ...['passmail.net', 'passmail.com', 'passinbox.com', 'passfwd.com'],
  // addy.io, formerly AnonAddy
  ...['anonaddy.com', 'anonaddy.me', 'addy.io', 'addymail.com'],
  // Fastmail
  ...['fastmail.com', 'fastmail.fm'],
]);

/** @param domain in ASCII */
export function isDisposable(
  domain: string,
  { disposableDomains, ownDisposableDomains }: Pick<Lists, 'disposableDomains' | 'ownDisposableDomains'>,
): boolean {
  const isOwn = ownDisposableDomains !== undefined && isListed(domain, domain, ownDisposableDomains);
  const isMeant = isOwn || (isListed(domain, domain, disposableDomains) && !isRelay(domain));
  return isMeant && !isPublicSuffix(domain);
}

/** Whether the list contains the name, or a parent domain of the same owner. */
function isListed(domain: string, name: string, list: Names): boolean {
  if (list.has(name)) return isInSameHands(domain, name);
  const dot = name.indexOf('.');
  return dot >= 0 && isListed(domain, name.slice(dot + 1), list);
}

/**
 * Whether a domain and a parent domain have the same owner: `a.b.example.com` → `b.example.com`, `example.com`. The
 * lists contain some names under which anybody can register (`eu.org`). Those domains have different owners.
 */
function isInSameHands(domain: string, name: string): boolean {
  const registered = getDomain(domain, { allowPrivateDomains: true });
  return name === domain || (registered !== null && name.length >= registered.length);
}

/** Whether the domain, or a parent domain, belongs to a relay. */
export function isRelay(domain: string): boolean {
  const dot = domain.indexOf('.');
  return RELAYS.has(domain) || (dot >= 0 && isRelay(domain.slice(dot + 1)));
}
