/** Looks up the machine's IP addresses in DNS block lists (RFC 5782). */
import { isPublicIp } from '../../shared/public-ip.ts';
import type { Resolver } from '../dns/resolver.ts';
import { reverseIp } from '../dns/reverse-name.ts';
import type { Signal } from '../signal.ts';
import { type Finding, finding } from './finding.ts';

/** @param lists the config's lists. No other lists are asked, because many have terms of use. */
export async function checkBlockLists(
  lists: readonly string[],
  ips: readonly string[],
  resolver: Resolver,
  allowPrivateAddresses: boolean,
  signal: Signal,
): Promise<readonly Finding[]> {
  if (lists.length === 0) return [];
  const own = ips.filter((ip) => allowPrivateAddresses || isPublicIp(ip));
  if (own.length === 0) {
    const advice = 'Set live.localAddresses to it, or add an A record for live.helo.';
    return [finding('block lists', 'unknown', 'The public IP address of this machine is not known.', advice)];
  }
  const pairs = lists.flatMap((list) => own.map((ip) => ({ list, ip })));
  return Promise.all(pairs.map(({ list, ip }) => checkOne(list, ip, resolver, signal)));
}

async function checkOne(list: string, ip: string, resolver: Resolver, signal: Signal): Promise<Finding> {
  const name = `block list ${list}`;
  const lookup = await resolver.a(`${reverseIp(ip)}.${list}`, signal);
  if (lookup.kind === 'no-name' || lookup.kind === 'no-records')
    return finding(name, 'ok', `${ip} is not listed.`);
  const codes = lookup.kind === 'found' ? lookup.records : [];
  // 127.255.255.x means a refused question, such as one through a public resolver (Spamhaus' return codes). 127.0.0.1
  // means the same at other lists, or a good reputation (Hostkarma). Listed IP addresses have other codes (RFC 5782).
  const listed = codes.filter(
    (code) => code.startsWith('127.') && !code.startsWith('127.255.255.') && code !== '127.0.0.1',
  );
  if (listed.length === 0) {
    const advice = 'Use your own resolver. Most lists require this.';
    return finding(name, 'unknown', `The list did not answer about ${ip}.`, advice);
  }
  const advice = `Ask ${list} why, and have it removed. Until then many mail servers refuse to answer.`;
  return finding(name, 'warning', `${ip} is listed (${listed.join(', ')}).`, advice);
}
