/** The rules for redirect URIs. */

/** Shows the code in the browser, for manual testing (interface, section 4.5). */
export const OUT_OF_BAND = 'urn:ietf:wg:oauth:2.0:oob';

const LONGEST = 2000;
/** The characters of RFC 3986. Browsers interpret others in their own way, such as a backslash as a slash. */
const URI = /^[a-z][a-z0-9+.-]*:[\w.~:/?[\]@!$&'()*+,;=%-]+$/i;
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/**
 * Why a redirect URI cannot be registered, as the end of "Expected …". Undefined if it can.
 *
 * Codes travel over TLS or within the machine (RFC 9700, section 2.6). A scheme of a native app has a dot, because it
 * is a domain name backwards (RFC 8252, section 7.1). So `javascript:` and similar schemes are refused.
 */
export function whyNotRedirectUri(uri: string): string | undefined {
  if (uri === OUT_OF_BAND) return undefined;
  if (uri.length > LONGEST) return `to have at most ${LONGEST} characters`;
  if (uri.includes('#')) return 'to have no fragment (#)';
  if (!URI.test(uri) || !URL.canParse(uri))
    return 'to be an absolute URI such as https://app.example/callback';
  const { protocol, hostname, username, password } = new URL(uri);
  if (username || password) return 'to have no user name and password';
  if (protocol === 'https:') return undefined;
  if (protocol === 'http:') {
    return LOOPBACK.test(hostname)
      ? undefined
      : 'to begin with https:, unless its host is localhost or 127.0.0.1';
  }
  return protocol.includes('.')
    ? undefined
    : 'to begin with https:, or with a scheme that has a dot, such as com.example.app:';
}

/** Adds parameters to the query of a redirect URI, and keeps the rest unchanged (RFC 6749, section 3.1.2). */
export function addToQuery(uri: string, parameters: Readonly<Record<string, string>>): string {
  const separator = !uri.includes('?') ? '?' : /[?&]$/.test(uri) ? '' : '&';
  return `${uri}${separator}${new URLSearchParams(parameters)}`;
}
