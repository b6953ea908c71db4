/** Takes an address apart. Works on anything: what is no address has parts all the same. */

export interface AddressParts {
  /** All before the last at sign. */
  readonly local: string;
  /** The local part without its tag. */
  readonly user: string;
  /** What follows the first plus sign of the local part; a quoted local part has none. */
  readonly tag: string | null;
  readonly domain: string;
}

/** The last at sign divides: only the local part can hold more of them, in quotes. */
export function splitAddress(address: string): AddressParts {
  const at = address.lastIndexOf('@');
  const local = at < 0 ? address : address.slice(0, at);
  const domain = at < 0 ? '' : address.slice(at + 1);
  const plus = local.startsWith('"') ? -1 : local.indexOf('+');
  // A plus sign at the very beginning leaves no user for a tag to belong to.
  if (plus < 1) return { local, user: local, tag: null, domain };
  return { local, user: local.slice(0, plus), tag: local.slice(plus + 1), domain };
}
