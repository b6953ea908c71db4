/** The grammar of a mailbox (RFC 5321, section 4.1.2), with the characters that RFC 6531 adds to it. */
import { isIPv4, isIPv6 } from 'node:net';
import { toAsciiDomain } from './domain.ts';
import { splitAddress } from './parts.ts';

/** RFC 5321, sections 4.5.3.1.1 and 4.5.3.1.3: 256 octets for a path, of which the angle brackets take two. */
const MAX_LOCAL_OCTETS = 64;
const MAX_ADDRESS_OCTETS = 254;

/**
 * RFC 6531 allows all characters of Unicode. This pattern refuses those that people cannot see or type on purpose:
 * controls, separators, lone surrogates, code points without a character, the mark of a decoding fault, and the
 * invisible characters in copied text.
 */
const BEYOND_ASCII =
  '(?![\\p{Cc}\\p{Cs}\\p{Cn}\\p{Co}\\p{Z}\\uFFFD\\u00AD\\u200B\\u200E\\u200F\\u2028-\\u202E\\u2060-\\u2069\\uFEFF])[^\\x00-\\x7F]';
const ATOM = `(?:[A-Za-z0-9!#$%&'*+/=?^_\`{|}~-]|${BEYOND_ASCII})+`;
const DOT_STRING = new RegExp(`^${ATOM}(?:\\.${ATOM})*$`, 'u');
const QUOTED_STRING = new RegExp(`^"(?:[ !#-\\[\\]-~]|\\\\[ -~]|${BEYOND_ASCII})*"$`, 'u');

/** Whether a text has the form of an address. The address may not exist. */
export function isAddress(address: string): boolean {
  const { local, domain } = splitAddress(address);
  if (Buffer.byteLength(local) > MAX_LOCAL_OCTETS) return false;
  if (Buffer.byteLength(address) > MAX_ADDRESS_OCTETS) return false;
  if (!DOT_STRING.test(local) && !QUOTED_STRING.test(local)) return false;
  return isAddressLiteral(domain) || toAsciiDomain(domain) !== undefined;
}

/** `[192.0.2.1]` or `[IPv6:2001:db8::1]` in place of a domain. */
function isAddressLiteral(domain: string): boolean {
  const literal = /^\[(.+)\]$/.exec(domain)?.[1];
  if (literal === undefined) return false;
  const v6 = /^IPv6:(.+)$/i.exec(literal)?.[1];
  return v6 === undefined ? isIPv4(literal) : isIPv6(v6) && !v6.includes('%') && !shortensOneGroup(v6);
}

/** RFC 5321, section 4.1.3: `::` replaces at least two groups. An IPv4 address at the end counts as two. */
function shortensOneGroup(ip: string): boolean {
  const groups = ip.split(':').filter((group) => group !== '');
  return ip.includes('::') && groups.length + (ip.includes('.') ? 1 : 0) > 6;
}
