/** Checks whether the DNS confirms the service's name and sender. Mail servers check this before they reply. */
import { isIP } from 'node:net';
import { isPublicIp } from '../../shared/public-ip.ts';
import type { Lookup, Resolver } from '../dns/resolver.ts';
import type { EngineOptions } from '../options.ts';
import type { Signal } from '../signal.ts';
import { type Finding, finding, untold } from './finding.ts';

export interface IdentityParts extends Pick<EngineOptions, 'helo' | 'mailFrom' | 'allowPrivateAddresses'> {
  readonly resolver: Resolver;
  /** The machine's known IP addresses. Private ones do not count, because mail servers see another one. */
  readonly localIps: readonly string[];
}

const recordsOf = <Item>(lookup: Lookup<Item>): readonly Item[] =>
  lookup.kind === 'found' ? lookup.records : [];
const isUnsure = ({ kind }: Lookup<unknown>) => kind === 'failed' || kind === 'no-answer';

/** HELO name → IP address → reverse DNS → HELO name, as RFC 5321 section 4.1.1.1 and most mail servers require. */
export async function checkHelo(parts: IdentityParts, signal: Signal): Promise<readonly Finding[]> {
  const { resolver, helo, localIps, allowPrivateAddresses } = parts;
  if (helo.startsWith('[') || !helo.includes('.')) {
    const advice =
      'Set live.helo to a host name of your own domain, such as verify.example.org. Large providers refuse others.';
    return [finding('helo', 'warning', `live.helo is ${helo}, which is not a name in the DNS.`, advice)];
  }
  const [v4, v6] = await Promise.all([resolver.a(helo, signal), resolver.aaaa(helo, signal)]);
  const named = [...recordsOf(v4), ...recordsOf(v6)];
  if (named.length === 0) {
    if (isUnsure(v4)) return [untold('helo', `which IP address ${helo} has`)];
    const advice = `Add an A record for ${helo} with the public IP address of this machine.`;
    return [finding('helo', 'warning', `${helo} has no IP address in the DNS.`, advice)];
  }
  const own = localIps.filter((ip) => allowPrivateAddresses || isPublicIp(ip));
  const strangers = own.filter((ip) => !named.includes(ip));
  const place = `${helo} is ${named.join(', ')}`;
  const advice = `Add an A or AAAA record for ${helo} with each IP address that conversations begin at.`;
  const address =
    strangers.length > 0
      ? finding('helo', 'warning', `${place}, and conversations begin at ${strangers.join(', ')}.`, advice)
      : finding('helo', 'ok', `${place}.`);
  const checked = own.length > 0 ? own : named;
  const reverse = await Promise.all(checked.map((ip) => checkReverse(ip, parts, signal)));
  return [address, ...reverse];
}

async function checkReverse(ip: string, { resolver, helo }: IdentityParts, signal: Signal): Promise<Finding> {
  const lookup = await resolver.ptr(ip, signal);
  const names = recordsOf(lookup);
  if (names.includes(helo.toLowerCase()))
    return finding('reverse DNS', 'ok', `The reverse DNS of ${ip} is ${helo}.`);
  if (isUnsure(lookup)) return untold('reverse DNS', `which name ${ip} has`);
  const found = names.length === 0 ? 'has no name' : `is ${names.join(', ')}`;
  const text = `The reverse DNS of ${ip} ${found}, and live.helo is ${helo}.`;
  const advice = `Ask the company that gave you ${ip} to set its reverse DNS (PTR) to ${helo}.`;
  return finding('reverse DNS', 'warning', text, advice);
}

/** Many mail servers refuse a sender whose domain takes no mail, or has no SPF record (RFC 7208). */
export async function checkSender(
  { resolver, mailFrom, helo }: IdentityParts,
  signal: Signal,
): Promise<readonly Finding[]> {
  // For the null sender, servers check SPF for the name in EHLO (RFC 7208, section 2.4).
  const domain = mailFrom === '' ? helo : mailFrom.slice(mailFrom.lastIndexOf('@') + 1);
  if (isIP(domain) !== 0 || domain.startsWith('[')) return [];
  const [mx, txt] = await Promise.all([resolver.mx(domain, signal), resolver.txt(domain, signal)]);
  const spf = recordsOf(txt).filter((text) => /^v=spf1(\s|$)/i.test(text));
  return [...(mailFrom === '' ? [] : [judgeMx(domain, mx)]), judgeSpf(domain, spf, isUnsure(txt))];
}

function judgeMx(domain: string, lookup: Awaited<ReturnType<Resolver['mx']>>): Finding {
  const hosts = recordsOf(lookup).flatMap(({ exchange }) => (exchange === '' ? [] : [exchange]));
  if (hosts.length > 0) return finding('sender MX', 'ok', `${domain} takes mail at ${hosts.join(', ')}.`);
  if (isUnsure(lookup)) return untold('sender MX', `where ${domain} takes mail`);
  const advice = `Set live.mailFrom to an address that takes mail, or add an MX record to ${domain}.`;
  return finding('sender MX', 'warning', `${domain} has no MX record, or a null MX.`, advice);
}

function judgeSpf(domain: string, spf: readonly string[], isUnknown: boolean): Finding {
  if (spf.length === 1) return finding('sender SPF', 'ok', `${domain} says ${spf[0]!.slice(0, 200)}.`);
  if (spf.length > 1) {
    const text = `${domain} has ${spf.length} SPF records, which counts as an error.`;
    return finding('sender SPF', 'warning', text, 'Join them into one TXT record.');
  }
  if (isUnknown) return untold('sender SPF', `which SPF record ${domain} has`);
  const advice = `Add a TXT record to ${domain}: "v=spf1 ip4:THE-IP-ADDRESS-OF-THIS-MACHINE -all", or add that ip4 to the record that your other mail needs.`;
  return finding('sender SPF', 'warning', `${domain} has no SPF record.`, advice);
}
