/** IP addresses as text: their plain form, their network, and entries of a list. */
import { isIP } from 'node:net';

/** `::ffff:192.0.2.1` → `192.0.2.1`. Sockets for both IP versions report IPv4 clients in the first form. */
export function unmapIp(ip: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  return mapped ?? ip;
}

/** Whether an entry is valid: an IP address, or an IP address with a number of bits. */
export function isIpOrRange(entry: string): boolean {
  const [, address = '', bits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
  const family = isIP(address);
  // An IPv6 zone (`fe80::1%eth0`) names an interface of one machine, and therefore never matches a client.
  if (family === 0 || address.includes('%')) return false;
  return bits === undefined || Number(bits) <= (family === 6 ? 128 : 32);
}

/** The network of a visitor. An IPv6 visitor has a whole /64, and can change the rest of the IP address at any time. */
export const networkOf = (ip: string): string => prefixOf(ip, 4);

/** The site of a visitor: with IPv6, a /48, which one customer of a provider often has. With IPv4, the IP address. */
export const siteOf = (ip: string): string => prefixOf(ip, 3);

function prefixOf(ip: string, groups: number): string {
  if (isIP(ip) !== 6) return ip;
  const plain = ip.replace(/%.*/, '');
  const [before = [], after = []] = plain.split('::').map((part) => (part === '' ? [] : part.split(':')));
  // An IPv4 address at the end counts as two groups, after the first four.
  const left = 8 - before.length - after.length - (plain.includes('.') ? 1 : 0);
  return `${[...before, ...Array<string>(left).fill('0'), ...after]
    .slice(0, groups)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/${16 * groups}`;
}
