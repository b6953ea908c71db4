/** The mail servers of the load: their organisations, their reply times, and their IP addresses. */
import type { Zone } from '../../test/engine/world/dns-zone.ts';

export interface Kind {
  readonly name: string;
  /** The number of organisations of this kind. */
  readonly organisations: number;
  /** The time of a reply: log-normal around this median, within {@link SHORTEST_MS} and {@link LONGEST_MS}. */
  readonly medianMs: number;
  /** How far the times spread: the standard deviation of their logarithm. */
  readonly spread: number;
  /** The share of recipients that a server greylists at first. */
  readonly greylists: number;
}

export const SHORTEST_MS = 50;
export const LONGEST_MS = 800;

/** Assumptions, not measurements at real providers. Each kind has a typical speed of mail servers. */
export const KINDS: readonly Kind[] = [
  { name: 'quick', organisations: 12, medianMs: 70, spread: 0.3, greylists: 0 },
  { name: 'usual', organisations: 16, medianMs: 130, spread: 0.5, greylists: 0 },
  { name: 'greylisting', organisations: 4, medianMs: 130, spread: 0.5, greylists: 0.3 },
  { name: 'slow', organisations: 8, medianMs: 400, spread: 0.6, greylists: 0 },
];

/** An organisation has the kind of its number. */
export const ORGANISATIONS: readonly Kind[] = KINDS.flatMap((kind) =>
  Array.from({ length: kind.organisations }, () => kind),
);

export const ipOf = (number: number) => `127.0.4.${number + 1}`;
export const domainOf = (number: number) => `load-${number}.test`;
const hostOf = (number: number) => `mx.${domainOf(number)}`;

/** An hour, longer than any part of the load. */
const TTL_S = 3_600;

export const zone: Zone = Object.fromEntries(
  ORGANISATIONS.flatMap((_, number): [string, Zone[string]][] => [
    [domainOf(number), { MX: [[10, hostOf(number)]], ttl: TTL_S }],
    [hostOf(number), { A: [ipOf(number)], ttl: TTL_S }],
  ]),
);

/**
 * A log-normal time within the bounds.
 *
 * @param random returns numbers from 0 to 1
 */
export function replyMs({ medianMs, spread }: Kind, random: () => number): number {
  // The Box-Muller transform makes a normal number from two uniform ones.
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, medianMs * Math.exp(spread * normal)));
}
