/** Makes the name under which the reverse DNS has an IP address (RFC 1035, section 3.5; RFC 3596, section 2.5). */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** `192.0.2.1` → `1.2.0.192.in-addr.arpa`; `undefined` if the text is not an IP address. */
export function reverseName(ip: string): string | undefined {
  const family = isIP(ip);
  return family === 0 ? undefined : `${reverseIp(ip)}.${family === 4 ? 'in-addr' : 'ip6'}.arpa`;
}

/** `192.0.2.1` → `1.2.0.192`; IPv6 in nibbles. Block lists use it too (RFC 5782, sections 2.1 and 2.4). */
export function reverseIp(ip: string): string {
  const bytes = ipaddr.parse(ip).toByteArray().reverse();
  if (isIP(ip) === 4) return bytes.join('.');
  const digits = bytes.flatMap((byte) => [byte & 0x0f, byte >> 4]);
  return digits.map((digit) => digit.toString(16)).join('.');
}
