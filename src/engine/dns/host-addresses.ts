/** Finds the IP addresses of several hosts at once, without those that must not be contacted. */
import { isPublicIp } from '../../shared/public-ip.ts';
import { EarlierSignal, type Signal } from '../signal.ts';
import type { Lookup, Resolver } from './resolver.ts';

export interface HostAddressOptions {
  readonly resolver: Resolver;
  /** Whether private and loopback IP addresses count too. */
  readonly allowPrivateAddresses: boolean;
  /** Whether this machine can send by IPv6 (see `ipv6.ts`). */
  readonly useIpv6: boolean;
  /** How many milliseconds to wait for the other hosts once one is usable. @default 1000 */
  readonly settleMs?: number;
}

export interface HostAddresses {
  readonly name: string;
  /** IPv4 first, because IPv6 addresses have less reputation. Empty for a host that cannot be used. */
  readonly ips: readonly string[];
  /** Why a host may have IP addresses although none was found, for the evidence. */
  readonly doubt: string | undefined;
  /** Whether a lookup had no answer before the signal. */
  readonly isSilent: boolean;
  /** Whether it has IP addresses that must not be contacted. */
  readonly isPrivate: boolean;
  /** Whether it has only IPv6 addresses, which this machine cannot contact. */
  readonly isBeyondIpv4: boolean;
}

/** Limits the wait for a silent name server, while another host is already usable. */
const SETTLE_MS = 1000;

/** An attacker can list hundreds of IP addresses for a name. Only these many are tried. */
const MOST_IPS = 8;

/** Resolves when each name has an outcome, or a moment after the first name has an IP address. */
export async function findHostAddresses(
  names: readonly string[],
  options: HostAddressOptions,
  signal: Signal,
): Promise<readonly HostAddresses[]> {
  const settled = new EarlierSignal(signal);
  const noteUsable = () => settled.abortIn(options.settleMs ?? SETTLE_MS);
  try {
    return await Promise.all(names.map((name) => findOne(name, options, settled, noteUsable)));
  } finally {
    settled.release();
  }
}

async function findOne(
  name: string,
  { resolver, allowPrivateAddresses, useIpv6 }: HostAddressOptions,
  signal: Signal,
  noteUsable: () => void,
): Promise<HostAddresses> {
  let doubt: string | undefined;
  let isSilent = false;
  let isPrivate = false;
  /** The IP addresses that may be contacted. */
  const read = (lookup: Lookup<string>): readonly string[] => {
    isSilent ||= lookup.kind === 'no-answer';
    if (lookup.kind === 'failed') doubt ??= `${name}: ${lookup.code}`;
    if (lookup.kind !== 'found') return [];
    const allowed = lookup.records.filter((ip) => allowPrivateAddresses || isPublicIp(ip));
    isPrivate ||= allowed.length < lookup.records.length;
    return allowed.slice(0, MOST_IPS);
  };
  const use = (ips: readonly string[]) => {
    if (ips.length > 0) noteUsable();
    return ips;
  };

  const askV6 = async () => read(await resolver.aaaa(name, signal));
  if (useIpv6) {
    const askV4 = async () => read(await resolver.a(name, signal));
    const [v4, v6] = await Promise.all([askV4().then(use), askV6().then(use)]);
    return { name, ips: [...v4, ...v6], doubt, isSilent, isPrivate, isBeyondIpv4: false };
  }
  const v4 = await resolver.a(name, signal);
  const ips = use(read(v4));
  // A host with only IPv6 addresses exists, even if this machine cannot contact it.
  const mayHaveV6 = ips.length === 0 && (v4.kind === 'no-records' || v4.kind === 'found');
  const isBeyondIpv4 = mayHaveV6 && (await askV6()).length > 0;
  return { name, ips, doubt, isSilent, isPrivate, isBeyondIpv4 };
}
