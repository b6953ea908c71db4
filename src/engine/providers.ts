/** The organisations that run mail servers for others, and what is known about their servers. */
import { getDomain } from 'tldts';
import type { PerHost } from './options.ts';
import { PROVIDERS } from './provider-table.ts';

export interface MailOrganisation {
  /** The name for pacing: the provider's name, or the registrable domain of the host. */
  readonly id: string;
  /** The name in results (`smtp_provider`). Absent if it is not a well-known provider. */
  readonly provider?: string;
  /** The server replies 250 to every recipient, whether or not the mailbox exists. */
  readonly acceptsAll?: boolean;
  /** The server replies 250 to every recipient of many domains. It proves something only if an impossible name is refused. */
  readonly mayAcceptAll?: boolean;
  /** The server refuses a second recipient in the same conversation, or takes it for an attack. */
  readonly probesApart?: boolean;
  /** The server closes the connection at RCPT if it refuses our IP address. Its organisation then gets a pause. */
  readonly refusesByClosing?: boolean;
  /** Limits that are stricter than the config's. */
  readonly limits?: Partial<PerHost>;
}

/** The names of the table with their providers. Names with a `*` are keys too. */
const BY_HOST: ReadonlyMap<string, MailOrganisation> = new Map(
  PROVIDERS.flatMap(({ hosts, ...entry }) => {
    const organisation: MailOrganisation = { id: entry.provider, ...entry };
    return hosts.map((host) => [host, organisation] as const);
  }),
);

/** Of the longest name of the table. Longer ends of a name need no look. */
const MOST_LABELS = Math.max(...[...BY_HOST.keys()].map((host) => host.split('.').length));

/** Of the latest hosts, because a verification asks several times for each. */
const found = new Map<string, MailOrganisation>();
const MOST_FOUND = 1_000;

/**
 * The organisation that runs a mail host. Pacing treats all hosts of one organisation as one.
 *
 * The table's names match whole labels at the end: neither `evilgoogle.com` nor `google.com.evil.example` is Google.
 */
export function organisationOf(mailHost: string): MailOrganisation {
  const known = found.get(mailHost);
  if (known) return known;
  const organisation = findOrganisation(mailHost);
  if (found.size === MOST_FOUND) found.clear();
  found.set(mailHost, organisation);
  return organisation;
}

function findOrganisation(mailHost: string): MailOrganisation {
  const name = mailHost.toLowerCase().replace(/\.$/, '');
  const labels = name.split('.').slice(-MOST_LABELS);
  for (const index of labels.keys()) {
    const [first, , ...rest] = labels.slice(index);
    const wildcard = [first, '*', ...rest].join('.');
    const known = BY_HOST.get(labels.slice(index).join('.')) ?? BY_HOST.get(wildcard);
    if (known) return known;
  }
  // Below a private suffix, such as `github.io`, each customer is a separate organisation.
  return { id: getDomain(name, { allowPrivateDomains: true }) ?? name };
}
