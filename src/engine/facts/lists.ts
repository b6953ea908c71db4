/** The published lists for the facts. */
import { createRequire } from 'node:module';
import { DISPOSABLE_MAIL_SERVERS, DISPOSABLE_MAIL_SERVERS_DAY } from './disposable-mail-servers.ts';
import type { ListName } from './facts.ts';
import { MORE_FREE_DOMAINS } from './more-free.ts';

/** A list of names. */
export type Names = Pick<ReadonlySet<string>, 'has'>;

/** The lists for the facts. They are passed in, so that an operator can change them. */
export interface Lists {
  /** Domains that hand out mailboxes for minutes. */
  readonly disposableDomains: Names;
  /** Domains with free mailboxes for everybody. Some of them are disposable. */
  readonly freeDomains: Names;
  /** Local parts that belong to a role, not to a person. */
  readonly roleNames: Names;
  /** Disposable domains that the operator has listed. They win over relays. @default none */
  readonly ownDisposableDomains?: Names;
}

/** The lists that come with the service. They can be counted and iterated. */
export interface PublishedLists extends Lists {
  readonly disposableDomains: ReadonlySet<string>;
  readonly freeDomains: ReadonlySet<string>;
  readonly roleNames: ReadonlySet<string>;
  /** Mail servers of disposable mailboxes, by their names or parent names. */
  readonly disposableMailServers: ReadonlySet<string>;
}

/**
 * The packages with lists, and the days on which these versions were published. The files of a package do not tell it. A
 * test fails when a package has another version.
 */
export const LIST_PACKAGES = [
  { list: 'disposable', name: 'disposable-domains', version: '2.0.1', day: '2026-08-24' },
  { list: 'free', name: 'email-providers', version: '2.26.0', day: '2026-09-07' },
  { list: 'role', name: 'role-based-email-addresses', version: '3.1.0', day: '2026-07-30' },
] as const;

/** The day of each packaged list. */
export const PACKAGED_AT: ReadonlyMap<ListName, Date> = new Map<ListName, Date>([
  ...LIST_PACKAGES.map(({ list, day }) => [list, new Date(day)] as const),
  ['disposable-mx', new Date(DISPOSABLE_MAIL_SERVERS_DAY)],
]);

let published: PublishedLists | undefined;

/**
 * Reads the lists that come with the service: some 130,000 disposable domains, 9,000 free ones and 1,000 role names. A
 * process reads them once, because that takes as long as everything else at the start.
 */
export function loadPublishedLists(): PublishedLists {
  published ??= readLists();
  return published;
}

/** Their packages are JSON and CommonJS, and Node 20 imports JSON only with a warning. */
function readLists(): PublishedLists {
  const require = createRequire(import.meta.url);
  const read = (name: string, more: Iterable<string> = []) => new Set<string>([...require(name), ...more]);
  const moreFree = MORE_FREE_DOMAINS.map(([domain]) => domain);
  return {
    disposableDomains: read('disposable-domains'),
    freeDomains: read('email-providers/all.json', moreFree),
    roleNames: read('role-based-email-addresses'),
    disposableMailServers: new Set(DISPOSABLE_MAIL_SERVERS),
  };
}
