/** What the lists and the spelling of an address tell. A type alone, because the testing kit has lists of its own. */

/** What is known about an address without contacting a server. Domains are in lower-case ASCII. */
export interface Facts {
  isDisposable(asciiDomain: string): boolean;
  isFree(asciiDomain: string): boolean;
  isRole(user: string): boolean;
  /** @returns a whole address that was probably meant, or `null` */
  suggestAddress(address: string): string | null;
}

/** The engine's facts, with what an operator decides about domains. */
export interface EngineFacts extends Facts {
  /** Whether the operator's `block.txt` names the domain or one above it. */
  isBlocked(asciiDomain: string): boolean;
}
