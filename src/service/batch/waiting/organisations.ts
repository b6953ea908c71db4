/** Finds the organisations of a batch's open addresses, as far as known without DNS lookups. */
import { mailHostOf } from '../../../engine/facts/smtp-provider.ts';
import { organisationOf } from '../../../engine/providers.ts';
import type { KnownServer, OpenDomain } from './waiting-store.ts';

/**
 * Uses the server that was asked for another address of the domain, the list of large providers, or the domain itself.
 *
 * @returns how many addresses each organisation has
 */
export function countByOrganisation(
  domains: readonly OpenDomain[],
  servers: readonly KnownServer[],
): ReadonlyMap<string, number> {
  const known = new Map(servers.map(({ domain, mx_record }) => [domain, mx_record]));
  const counts = new Map<string, number>();
  for (const { domain, addresses } of domains) {
    const { id } = organisationOf(known.get(domain) ?? mailHostOf(domain).mxRecord);
    counts.set(id, (counts.get(id) ?? 0) + addresses);
  }
  return counts;
}

/** Names that need more than a capital letter. */
const NAMES: Readonly<Record<string, string>> = {
  gmx: 'GMX',
  'yahoo-japan': 'Yahoo! Japan',
  protonmail: 'Proton Mail',
  mailru: 'Mail.ru',
  ovh: 'OVH',
  ionos: 'IONOS',
  godaddy: 'GoDaddy',
  dreamhost: 'DreamHost',
  hostedemail: 'Hosted Email',
  trendmicro: 'Trend Micro',
  spamexperts: 'SpamExperts',
  siteground: 'SiteGround',
  mailroute: 'MailRoute',
  improvmx: 'ImprovMX',
  forwardemail: 'Forward Email',
  simplelogin: 'SimpleLogin',
};

/** The name of an organisation for people. One without a name is its domain. */
export function organisationName(id: string): string {
  if (id.includes('.')) return id;
  return NAMES[id] ?? id.replace(/(^| )[a-z]/g, (letter) => letter.toUpperCase());
}
