/** The interface of the facts. It loads no list, because the testing kit has its own. */

/** The facts about an address from lists and its spelling, without contacting a server. Domains are in lower-case ASCII. */
export interface Facts {
  isDisposable(asciiDomain: string): boolean;
  isFree(asciiDomain: string): boolean;
  isRole(user: string): boolean;
  /** @returns the suggested address, or `null` */
  suggestAddress(address: string): string | null;
}

/** What a list says about a mail server. */
export interface ListedMailServer {
  readonly as: 'blocked' | 'disposable';
  /** The mail server that decided. */
  readonly name: string;
  /** The list, in words. */
  readonly list: string;
}

/** One list, as its operator sees it. */
export interface ListReport {
  /** The name of the operator's file, without its ending. */
  readonly name: ListName;
  /** The entries of the packaged list. 0 if there is none. */
  readonly packaged: number;
  /** The day of the packaged list. Absent if there is none. */
  readonly packagedAt?: Date | undefined;
  /** The operator's file. Absent if there is none. */
  readonly own?: { readonly entries: number; readonly changedAt: Date };
}

/** The files of an operator's lists, without their ending. */
export const LIST_NAMES = [
  ...['disposable', 'free', 'role', 'allow', 'block'],
  ...['disposable-mx', 'block-mx'],
] as const;
export type ListName = (typeof LIST_NAMES)[number];

/** The facts of the engine, with the operator's decisions about domains and mail servers. */
export interface EngineFacts extends Facts {
  /** Whether the operator's `block.txt` contains the domain or a parent domain. */
  isBlocked(asciiDomain: string): boolean;
  /**
   * Finds what the lists say about the mail servers of a domain.
   *
   * @param names in lower case, without a dot at the end
   */
  findListed(names: readonly string[], asciiDomain: string): ListedMailServer | undefined;
}

/** The facts from lists in files. */
export interface ListedFacts extends EngineFacts {
  /** The size and the age of every list, for the operator. */
  reportLists(): readonly ListReport[];
}
