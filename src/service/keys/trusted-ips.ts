/** Which machines may use a private key: IP addresses and ranges of them (`192.0.2.0/24`). */
import { BlockList, isIP } from 'node:net';
import { unmapIp } from '../../network/ip.ts';

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
