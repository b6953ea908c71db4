/** The names of a domain's mail servers, from its MX records: which can be used, and in what order. */
import type { MxRecord } from './resolver.ts';

/** Letters, digits and hyphens (RFC 1035, section 2.3.1). Underscores are wrong in host names, and still work. */
const HOST_NAME =
  /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/;

/** A name whose last label is a number would be read as an IPv4 address by others (URL Standard, "ends in a number"). */
const ENDS_IN_NUMBER = /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/;

/** RFC 6761, section 6.3, and the name that old Linux systems have for it. */
const LOCALHOST = /(?:^|\.)localhost(?:\.localdomain)?$/;

/**
 * Each name once, the lowest preference first and equal ones in random order (RFC 5321, section 5.1).
 *
 * Empty where mail cannot be delivered: a null MX alone (RFC 7505), or nothing but what is not the name of a host. A
 * null MX beside others is against RFC 7505, and left out.
 *
 * @param random at least 0, less than 1
 */
export function mailHostNames(records: readonly MxRecord[], random: () => number): readonly string[] {
  const sorted = shuffled(records, random).sort((a, b) => a.preference - b.preference);
  return [...new Set(sorted.map(({ exchange }) => exchange))].filter(isHostName);
}

function isHostName(name: string): boolean {
  return HOST_NAME.test(name) && !ENDS_IN_NUMBER.test(name) && !LOCALHOST.test(name);
}

/** Fisher and Yates: every order is as likely as any other. */
function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [result[last], result[other]] = [result[other]!, result[last]!];
  }
  return result;
}
