/** The organisations that run mail servers for others, and what is known about their servers. */
import { getDomain } from 'tldts';
import type { PerHost } from './options.ts';
import { PROVIDERS } from './provider-table.ts';

export interface MailOrganisation {
  /** What pacing counts by: the provider's name, or the registrable domain of the host. */
  readonly id: string;
  /** What results call it (`smtp_provider`). Absent for what is not a well-known provider. */
  readonly provider?: string;
  /** The server says 250 to every recipient, whether or not the mailbox exists. */
  readonly acceptsAll?: boolean;
  /** A second recipient in the same conversation is refused or taken for an attack. */
  readonly probesApart?: boolean;
  /** Stricter than the config's, where a provider is known to be. */
  readonly limits?: Partial<PerHost>;
}

/** The names of the table, each with its provider. Names with a `*` are keys as they are. */
const BY_HOST: ReadonlyMap<string, MailOrganisation> = new Map(
  PROVIDERS.flatMap(({ hosts, ...entry }) => {
    const organisation: MailOrganisation = { id: entry.provider, ...entry };
    return hosts.map((host) => [host, organisation] as const);
  }),
);

/**
 * The organisation behind a mail host. To pacing, all hosts of one organisation are one.
 *
 * The table's names match whole labels at the end: neither `evilgoogle.com` nor `google.com.evil.example` is Google's.
 */
export function organisationOf(mailHost: string): MailOrganisation {
  const name = mailHost.toLowerCase().replace(/\.$/, '');
  const labels = name.split('.');
  for (const index of labels.keys()) {
    const [first, , ...rest] = labels.slice(index);
    const wildcard = [first, '*', ...rest].join('.');
    const known = BY_HOST.get(labels.slice(index).join('.')) ?? BY_HOST.get(wildcard);
    if (known) return known;
  }
  // Below a private suffix, such as `github.io`, each customer is an organisation of its own.
  return { id: getDomain(name, { allowPrivateDomains: true }) ?? name };
}
