/** Where a person goes after signing in. It must never be another site (RFC 9700, section 4.11: open redirectors). */

/** Only the path counts. */
const ANY_ORIGIN = 'http://self.invalid';

/**
 * @param text a path of this service with its query, as a request says it
 * @returns the path as browsers will understand it, or `undefined` if it could lead anywhere else
 */
export function readReturnAddress(text: string | undefined): string | undefined {
  // Browsers take a backslash for a slash, and leave out tabs and line breaks.
  if (text === undefined || !/^\/[!-[\]-~]*$/.test(text) || !URL.canParse(text, ANY_ORIGIN)) return undefined;
  const { origin, pathname, search } = new URL(text, ANY_ORIGIN);
  // Two slashes begin a host name. `/.//host` has them only when its dots are resolved.
  if (origin !== ANY_ORIGIN || pathname.startsWith('//')) return undefined;
  return pathname + search;
}
