/** The URL to go to after the sign-in. It must never be on another site (RFC 9700, section 4.11: open redirectors). */

/** Only the path counts. */
const ANY_ORIGIN = 'http://self.invalid';

/**
 * @param text a path of this service with its query, from a request @returns the path as browsers interpret it, or
 * `undefined` if it could lead to another site
 */
export function readReturnAddress(text: string | undefined): string | undefined {
  // Browsers treat a backslash as a slash, and drop tabs and line breaks.
  if (text === undefined || !/^\/[!-[\]-~]*$/.test(text) || !URL.canParse(text, ANY_ORIGIN)) return undefined;
  const { origin, pathname, search } = new URL(text, ANY_ORIGIN);
  // Two slashes begin a host name. `/.//host` has them only after its dots are resolved.
  if (origin !== ANY_ORIGIN || pathname.startsWith('//')) return undefined;
  return pathname + search;
}
