/** Normalises host names, so that they can be compared. */
import { isIP } from 'node:net';

/**
 * A scheme, a host of 253 characters and a port fit well. Browsers send hosts in ASCII. Longer text is not parsed,
 * because the parser's time grows with the square of the length.
 */
const MAX_ORIGIN_LENGTH = 300;

/**
 * The host of an `Origin` header of http or https, or `undefined` for anything else: `null`, a file, an extension, an
 * app, a list, a URL with a path or a user. The port is left out, because a trusted domain covers all of them.
 */
export function hostOfOrigin(origin: string): string | undefined {
  if (origin.length > MAX_ORIGIN_LENGTH) return undefined;
  if (!/^https?:\/\/[^\s/?#@\\,]+$/i.test(origin)) return undefined;
  return normaliseHost(origin.slice(origin.indexOf('//') + 2));
}

/**
 * Lower case, punycode, IPv4 and IPv6 in their shortest form, no dot at the end (the same name in the DNS).
 *
 * @param hostAndPort a host, or a host and a port
 * @returns the host, or `undefined` if the text is not a host
 */
export function normaliseHost(hostAndPort: string): string | undefined {
  const bare = isIP(hostAndPort) === 6 ? `[${hostAndPort}]` : hostAndPort;
  if (!URL.canParse(`http://${bare}`)) return undefined;
  const { hostname } = new URL(`http://${bare}`);
  const host = hostname.replace(/\.$/, '');
  // The URL parser accepts `shop..example`.
  return host.split('.').includes('') ? undefined : host;
}
