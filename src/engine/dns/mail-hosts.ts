/** Finds the mail servers of a domain (RFC 5321, section 5). */

import type { Signal } from '../signal.ts';
import { findHostAddresses, type HostAddresses, type HostAddressOptions } from './host-addresses.ts';
import { mailHostNames, preferredNames } from './mail-host-names.ts';

/** A mail server that can be contacted. */
export interface MailHost {
  /** In lower case, without the dot at the end. */
  readonly name: string;
  /** The IP addresses to try, in this order: at least one, and only those that may be contacted. */
  readonly ips: readonly string[];
}

export type MailRoute =
  /** In the order in which they are tried. At least one. */
  | {
      readonly kind: 'hosts';
      readonly hosts: readonly MailHost[];
      /** The names with the lowest preference, whether or not they have addresses. At least one. */
      readonly preferred: readonly string[];
      /** Whether there may be other hosts: they were not looked up, or their lookup failed. */
      readonly hasOthers: boolean;
    }
  /** The hosts have only IPv6 addresses, and this machine cannot contact those. `name` is the first host. */
  | { readonly kind: 'beyond-ipv4'; readonly name: string }
  /** Mail cannot be delivered to the domain. `why` goes into the evidence. */
  | { readonly kind: 'nowhere'; readonly why: string }
  /** The lookup failed. */
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'no-answer' };

export interface MailHostOptions extends HostAddressOptions {
  /** Orders hosts of equal preference. At least 0, less than 1. */
  readonly random: () => number;
}

/**
 * How many names are looked up: the first 10 and, if none of those can be used, the next 20. More are an attack or a
 * mistake: Postfix tries five IP addresses (`smtp_mx_address_limit`), Exim five hosts (`hosts_max_try`).
 */
const ROUNDS = [10, 20];

/**
 * Finds the mail servers of a domain. Never rejects.
 *
 * `nowhere` means that the DNS is certain. Any doubt ends as `failed` or `no-answer`.
 *
 * @param domain in ASCII
 */
export async function findMailHosts(
  domain: string,
  options: MailHostOptions,
  signal: Signal,
): Promise<MailRoute> {
  const mx = await options.resolver.mx(domain, signal);
  switch (mx.kind) {
    case 'no-answer':
      return mx;
    case 'failed':
      // The A record is not a substitute: the server there may not be the one that takes the mail.
      return { kind: 'failed', why: `MX of ${domain}: ${mx.code}` };
    case 'no-name':
      return { kind: 'nowhere', why: 'the domain does not exist' };
    case 'no-records':
      return findRoute([domain], [domain], 'no MX and no IP address', options, signal);
    case 'found': {
      const names = mailHostNames(mx.records, options.random);
      const preferred = preferredNames(mx.records);
      if (names.length > 0)
        return findRoute(names, preferred, 'no mail server has an IP address', options, signal);
      const isNull = mx.records.every(({ exchange }) => exchange === '');
      return { kind: 'nowhere', why: isNull ? 'null MX' : 'no MX is the name of a host' };
    }
  }
}

/** @param names by preference */
async function findRoute(
  names: readonly string[],
  preferred: readonly string[],
  whyNot: string,
  options: MailHostOptions,
  signal: Signal,
): Promise<MailRoute> {
  const looked: HostAddresses[] = [];
  for (const size of ROUNDS) {
    const next = names.slice(looked.length, looked.length + size);
    looked.push(...(await findHostAddresses(next, options, signal)));
    const hosts = looked.filter(({ ips }) => ips.length > 0).map(({ name, ips }) => ({ name, ips }));
    const isOpen = looked.some(
      ({ ips, doubt, isSilent, isBeyondIpv4 }) => ips.length === 0 && (doubt || isSilent || isBeyondIpv4),
    );
    const hasOthers = isOpen || looked.length < names.length;
    if (hosts.length > 0) return { kind: 'hosts', hosts, preferred, hasOthers };
  }
  if (looked.some(({ isSilent }) => isSilent)) return { kind: 'no-answer' };
  const doubt = looked.find((host) => host.doubt)?.doubt;
  if (doubt) return { kind: 'failed', why: doubt };
  const beyondIpv4 = looked.find((host) => host.isBeyondIpv4);
  if (beyondIpv4) return { kind: 'beyond-ipv4', name: beyondIpv4.name };
  if (looked.length < names.length)
    return { kind: 'failed', why: 'too many mail servers without an IP address' };
  const isPrivate = looked.some((host) => host.isPrivate);
  return { kind: 'nowhere', why: isPrivate ? 'mail servers on private IP addresses only' : whyNot };
}
