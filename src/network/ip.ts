/** IP addresses as text: their plain form, the network of one, and entries of a list. */
import { isIP } from 'node:net';

/** `::ffff:192.0.2.1` → `192.0.2.1`: how a socket that speaks both families names an IPv4 client. */
export function unmapIp(ip: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  return mapped ?? ip;
}

/** Whether an entry can be put on the list: an address, or an address and a number of bits. */
export function isIpOrRange(entry: string): boolean {
  const [, address = '', bits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
  const family = isIP(address);
  // An IPv6 zone (`fe80::1%eth0`) names an interface of one machine: no client can be told by it.
  if (family === 0 || address.includes('%')) return false;
  return bits === undefined || Number(bits) <= (family === 6 ? 128 : 32);
}

/** An IPv6 visitor holds a whole /64 and can change the rest of the address at will. */
export function networkOf(ip: string): string {
  if (isIP(ip) !== 6) return ip;
  const plain = ip.replace(/%.*/, '');
  const [before = [], after = []] = plain.split('::').map((part) => (part === '' ? [] : part.split(':')));
  // An IPv4 address at the end stands for two groups, none of them among the first four.
  const left = 8 - before.length - after.length - (plain.includes('.') ? 1 : 0);
  return `${[...before, ...Array<string>(left).fill('0'), ...after]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
