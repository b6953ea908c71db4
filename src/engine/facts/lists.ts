/** The published lists that facts are looked up in. */
import { createRequire } from 'node:module';

/** A list of names, as far as facts need it. */
export type Names = Pick<ReadonlySet<string>, 'has'>;

/** What facts are looked up in. The lists are handed in, so that an operator can change them. */
export interface Lists {
  /** Domains that hand out mailboxes for minutes. */
  readonly disposableDomains: Names;
  /** Domains where anybody gets a mailbox for nothing. Some of them are disposable. */
  readonly freeDomains: Names;
  /** Local parts that belong to a task, not to a person. */
  readonly roleNames: Names;
}

/** The lists that come with the service, which can be counted and walked through. */
export type PublishedLists = { readonly [Name in keyof Lists]: ReadonlySet<string> };

/**
 * Reads the lists that come with the service: some 130,000 disposable domains, 9,000 free ones and 1,000 role names.
 * Their packages are JSON and CommonJS, and Node 20 imports JSON only with a warning.
 */
export function loadPublishedLists(): PublishedLists {
  const require = createRequire(import.meta.url);
  const read = (name: string) => new Set<string>(require(name));
  return {
    disposableDomains: read('disposable-domains'),
    freeDomains: read('email-providers/all.json'),
    roleNames: read('role-based-email-addresses'),
  };
}
