/**
 * Decides whether mail servers are contacted by IPv6: only from an IP address that has a name. Google and others refuse
 * mail from IPv6 addresses without one (support.google.com/a/answer/81126, "IPv6 guidelines").
 */
import { isIPv6 } from 'node:net';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import { isPublicIp } from '../../network/public-ip.ts';
import { earlierSignal } from './earlier-signal.ts';
import type { Resolver } from './resolver.ts';

export interface Ipv6Options {
  readonly resolver: Resolver;
  /** The config's. Where there are some, conversations begin at no other IP address of the machine. */
  readonly localAddresses: readonly string[];
  /** Milliseconds of a clock that never goes back. @default `performance.now` */
  readonly now?: () => number;
  /** @default those of the machine */
  readonly interfaces?: () => NodeJS.Dict<readonly NetworkInterfaceInfo[]>;
  /** How long the DNS is waited for. @default 1000 */
  readonly waitMs?: number;
}

/** Networks and their names change seldom. */
const REMEMBERED_MS = 3_600_000;

/** After the DNS could not say. Until then IPv4 is used, which is never wrong. */
const ASK_AGAIN_MS = 60_000;

/** A silent name server must not use up the time of every verification. */
const WAIT_MS = 1000;

/** A machine with privacy extensions has many addresses, and names for none or for the first. */
const MOST_ADDRESSES = 8;

/**
 * @returns asks whether IPv6 is used. It never rejects, and ends with the signal. The DNS is asked once an hour
 */
export function createIpv6Check(options: Ipv6Options): (signal: AbortSignal) => Promise<boolean> {
  const { resolver, now = () => performance.now(), waitMs = WAIT_MS } = options;
  let known = false;
  let knownUntil = Number.NEGATIVE_INFINITY;

  return async (signal) => {
    if (now() < knownUntil) return known;
    const ips = localIpv6Addresses(options).slice(0, MOST_ADDRESSES);
    const waited = earlierSignal(signal);
    waited.abortIn(waitMs);
    const lookups = await Promise.all(ips.map((ip) => resolver.ptr(ip, waited.signal)));
    waited.release();
    // The time of this caller was over. That says nothing to the next.
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
