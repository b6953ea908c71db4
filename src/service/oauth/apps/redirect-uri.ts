/** The rules for redirect URIs. */

/** Shows the code in the browser, for manual testing (interface, section 4.5). */
export const OUT_OF_BAND = 'urn:ietf:wg:oauth:2.0:oob';

const LONGEST = 2000;
/**
 * The characters of RFC 3986. Browsers interpret others in their own way, such as a backslash as a slash. They also read
 * `https:app.example` as a path of the page that redirects there, so a web address needs its two slashes.
 */
const URI = /^(?!https?:(?!\/\/[^/]))[a-z][a-z0-9+.-]*:[\w.~:/?[\]@!$&'()*+,;=%-]+$/i;
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
  if (protocol === 'http:')
    return LOOPBACK.test(hostname)
      ? undefined
      : 'to begin with https:, unless its host is localhost or 127.0.0.1';
  return protocol.includes('.')
    ? undefined
    : 'to begin with https:, or with a scheme that has a dot, such as com.example.app:';
}

/**
 * The registered redirect URI that the app has sent, or undefined.
 *
 * It is compared exactly, including case, port, path and query (RFC 9700, section 2.1). But a public app on a desktop
 * listens on any free port, so its port of 127.0.0.1 and [::1] is not compared (RFC 8252, section 7.3).
 */
export function findRegistered(
  registered: readonly string[],
  sent: string,
  isPublic: boolean,
): string | undefined {
  if (registered.includes(sent)) return sent;
  // `canParse` refuses ports above 65535.
  if (!isPublic || !URI.test(sent) || !URL.canParse(sent)) return undefined;
  return registered.find((uri) => isSameButPort(uri, sent));
}

const LOOPBACK_URI = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::\d{1,5})?((?:[/?].*)?)$/;

function isSameButPort(one: string, other: string): boolean {
  const [, host, rest] = LOOPBACK_URI.exec(one) ?? [];
  const [, otherHost, otherRest] = LOOPBACK_URI.exec(other) ?? [];
  return host !== undefined && host === otherHost && rest === otherRest;
}

/** Adds parameters to the query of a redirect URI, and keeps the rest unchanged (RFC 6749, section 3.1.2). */
export function addToQuery(uri: string, parameters: Readonly<Record<string, string>>): string {
  const separator = !uri.includes('?') ? '?' : /[?&]$/.test(uri) ? '' : '&';
  return `${uri}${separator}${new URLSearchParams(parameters)}`;
}
