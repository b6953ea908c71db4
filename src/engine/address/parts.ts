/** Splits an address into its parts. It also splits text that is not an address. */

export interface AddressParts {
  /** The text before the last at sign. */
  readonly local: string;
  /** The local part without its tag. */
  readonly user: string;
  /** The text after the first plus sign of the local part, or `null`. A quoted local part has no tag. */
  readonly tag: string | null;
  readonly domain: string;
}

/** Splits at the last at sign. Only the local part can contain others, in quotes. */
export function splitAddress(address: string): AddressParts {
  const at = address.lastIndexOf('@');
  const local = at < 0 ? address : address.slice(0, at);
  const domain = at < 0 ? '' : address.slice(at + 1);
  const plus = local.startsWith('"') ? -1 : local.indexOf('+');
  // With a plus sign at the very beginning, there is no user.
  if (plus < 1) return { local, user: local, tag: null, domain };
  return { local, user: local.slice(0, plus), tag: local.slice(plus + 1), domain };
}
