/** Which machines may use a private key: IP addresses and ranges of them (`192.0.2.0/24`). */
import { BlockList, isIP } from 'node:net';

/** @returns a test for a client's IP address; IPv4 addresses mapped into IPv6 count as what they are */
export function trustIps(ips: readonly string[]): (ip: string) => boolean {
  const trusted = new BlockList();
  for (const entry of ips) {
    const [address = '', bits] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }
  return (ip) => {
    const plain = unmapIp(ip);
    // What is no address at all is on no list.
    return trusted.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
  };
}

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
