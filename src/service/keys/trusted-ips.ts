/** Decides which clients may use a private key, by IP address or range (`192.0.2.0/24`). */
import { BlockList, isIP } from 'node:net';
import { unmapIp } from '../../shared/ip.ts';

/** @returns a test for a client's IP address. IPv4 addresses mapped into IPv6 count as IPv4 */
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
    // A text that is not an IP address is never trusted.
    return trusted.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
  };
}
