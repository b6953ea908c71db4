/** The interface of the facts. It contains only types, because the testing kit has its own lists. */

/** The facts about an address from lists and its spelling, without contacting a server. Domains are in lower-case ASCII. */
export interface Facts {
  isDisposable(asciiDomain: string): boolean;
  isFree(asciiDomain: string): boolean;
  isRole(user: string): boolean;
  /** @returns the suggested address, or `null` */
  suggestAddress(address: string): string | null;
}

/** The facts of the engine, with the operator's decisions about domains. */
export interface EngineFacts extends Facts {
  /** Whether the operator's `block.txt` contains the domain or a parent domain. */
  isBlocked(asciiDomain: string): boolean;
}
