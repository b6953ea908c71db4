/** Reads the names of a domain's mail servers from its MX records, in the order in which they are tried. */
import type { MxRecord } from './resolver.ts';

/** Letters, digits and hyphens (RFC 1035, section 2.3.1). Underscores are wrong in host names, and still work. */
const HOST_NAME =
  /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/;

/** Other programs read a name whose last label is a number as an IPv4 address (URL Standard, "ends in a number"). */
const ENDS_IN_NUMBER = /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/;

/** RFC 6761, section 6.3, and the name on old Linux systems. */
const LOCALHOST = /(?:^|\.)localhost(?:\.localdomain)?$/;

/**
 * Each name once, the lowest preference first and equal ones in random order (RFC 5321, section 5.1).
 *
 * Empty if mail cannot be delivered: for a single null MX (RFC 7505), and if no record contains the name of a host. A
 * null MX next to other records violates RFC 7505, and is left out.
 *
 * @param random at least 0, less than 1
 */
export function mailHostNames(records: readonly MxRecord[], random: () => number): readonly string[] {
  const sorted = shuffled(records, random).sort((a, b) => a.preference - b.preference);
  return [...new Set(sorted.map(({ exchange }) => exchange))].filter(isHostName);
}

/** The names that mail is delivered to first: those with the lowest preference. */
export function preferredNames(records: readonly MxRecord[]): readonly string[] {
  const hosts = records.filter(({ exchange }) => isHostName(exchange));
  const lowest = Math.min(...hosts.map(({ preference }) => preference));
  return hosts.filter(({ preference }) => preference === lowest).map(({ exchange }) => exchange);
}

export function isHostName(name: string): boolean {
  return HOST_NAME.test(name) && !ENDS_IN_NUMBER.test(name) && !LOCALHOST.test(name);
}

/** Fisher-Yates: every order is equally likely. */
function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [result[last], result[other]] = [result[other]!, result[last]!];
  }
  return result;
}
