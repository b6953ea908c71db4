/**
 * Decides whether mail servers are contacted by IPv6. This needs a local IPv6 address with a name in the reverse DNS:
 * Google and others refuse mail from others (support.google.com/a/answer/81126, "IPv6 guidelines").
 */
import { isIPv6 } from 'node:net';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import { isPublicIp } from '../../shared/public-ip.ts';
import { type Signal, within } from '../signal.ts';
import type { Resolver } from './resolver.ts';

export interface Ipv6Options {
  readonly resolver: Resolver;
  /** The config's local addresses. If there are any, conversations start only from these. */
  readonly localAddresses: readonly string[];
  /** Milliseconds of a clock that never goes back. @default `performance.now` */
  readonly now?: () => number;
  /** @default the machine's interfaces */
  readonly interfaces?: () => NodeJS.Dict<readonly NetworkInterfaceInfo[]>;
  /** How many milliseconds to wait for the DNS. @default 1000 */
  readonly waitMs?: number;
}

/** Networks and their names change seldom. */
const REMEMBERED_MS = 3_600_000;

/** The pause after a failed lookup. Until then, IPv4 is used, which always works. */
const ASK_AGAIN_MS = 60_000;

/** A silent name server must not use up the time of every verification. */
const WAIT_MS = 1000;

/** A machine with privacy extensions has many IP addresses, but names only for the first ones, if any. */
const MOST_ADDRESSES = 8;

/**
 * @returns a function that tells whether to use IPv6. It never rejects and ends with the signal. It asks the DNS once an
 * hour
 */
export function createIpv6Check(options: Ipv6Options): (signal: Signal) => Promise<boolean> {
  const { resolver, now = () => performance.now(), waitMs = WAIT_MS } = options;
  let known = false;
  let knownUntil = Number.NEGATIVE_INFINITY;

  return async (signal) => {
    if (now() < knownUntil) return known;
    const ips = localIpv6Addresses(options).slice(0, MOST_ADDRESSES);
    const lookups = await within(waitMs, signal, (inTime) =>
      Promise.all(ips.map((ip) => resolver.ptr(ip, inTime))),
    );
    // This caller's time ran out. The next caller asks again.
    if (signal.aborted) return false;
    const isOpen = lookups.some(({ kind }) => kind === 'failed' || kind === 'no-answer');
    known = lookups.some(({ kind }) => kind === 'found');
    knownUntil = now() + (isOpen && !known ? ASK_AGAIN_MS : REMEMBERED_MS);
    return known;
  };
}

function localIpv6Addresses({ localAddresses, interfaces = networkInterfaces }: Ipv6Options): string[] {
  if (localAddresses.length > 0) return localAddresses.filter((ip) => isIPv6(ip));
  return Object.values(interfaces())
    .flatMap((infos) => infos ?? [])
    .filter(({ family, internal, address }) => family === 'IPv6' && !internal && isPublicIp(address))
    .map(({ address }) => address);
}
