/** The organisations that run mail servers for others, and what is known about their servers. */
import { getDomain } from 'tldts';
import type { PerHost } from './options.ts';

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
