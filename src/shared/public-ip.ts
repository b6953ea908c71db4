/** Recognises public IP addresses. Strangers must not make the service connect to any other. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type IPv6 = ipaddr.IPv6;

/** Azure's host agent. It answers on a public IP address (Microsoft's page "What is IP address 168.63.129.16?"). */
const METADATA = '168.63.129.16';

/** The range that IANA assigns to hosts (registry "IPv6 Global Unicast Address Assignments"). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * False for private, loopback, link-local, shared (CGNAT), metadata, multicast, documentation and reserved IP addresses,
 * and for IPv6 addresses that contain one of them. Also false for text that is not one complete IP address.
 */
export function isPublicIp(ip: string): boolean {
  // Strict, because parsers disagree about `127.1`, `0x7f.0.0.1` and `010.0.0.1`.
  const family = isIP(ip);
  if (family === 4) return isPublicIPv4(ip);
  // A zone (`fe80::1%eth0`) belongs to a network of one machine.
  if (family !== 6 || ip.includes('%')) return false;
  // IPv4-compatible (RFC 4291, section 2.5.5.1, deprecated). The parser would take `::8.8.8.8` for IPv4-mapped.
  if (/^::\d+\./.test(ip)) return false;
  return isPublicIPv6(ipaddr.IPv6.parse(ip));
}

function isPublicIPv4(ip: string): boolean {
  return ip !== METADATA && ipaddr.IPv4.parse(ip).range() === 'unicast';
}

function isPublicIPv6(ip: IPv6): boolean {
  if (ip.range() === 'unicast') return ip.match(GLOBAL_UNICAST);
  // Without one, it may be Teredo, which mail servers do not use.
  const inside = insideOf(ip);
  return inside !== undefined && isPublicIPv4(inside);
}

/** @returns the IPv4 address that packets to this IPv6 address reach in the end. `undefined` if there is none */
export function embeddedIPv4(ip: string): string | undefined {
  return isIP(ip) === 6 && !ip.includes('%') ? insideOf(ipaddr.IPv6.parse(ip)) : undefined;
}

function insideOf(ip: IPv6): string | undefined {
  const bytes = ip.toByteArray();
  switch (ip.range()) {
    case 'ipv4Mapped':
      return bytes.slice(12).join('.');
    case 'rfc6052':
      // 64:ff9b::/96 ends with the IPv4 address. 64:ff9b:1::/48 is for local use only (RFC 8215).
      return ip.parts[2] === 0 ? bytes.slice(12).join('.') : undefined;
    case '6to4':
      // RFC 3056, section 2: the IPv4 address follows the prefix.
      return bytes.slice(2, 6).join('.');
    default:
      return undefined;
  }
}

/** Tells which IP addresses may be contacted. @param allowPrivate for tests, and for servers in the operator's network */
export function contactable(allowPrivate: boolean): (ip: string) => boolean {
  return allowPrivate ? () => true : isPublicIp;
}
