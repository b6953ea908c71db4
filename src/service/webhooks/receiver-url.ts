/** Decides where webhooks may go, and reads such a URL. */
import { normaliseHost } from '../../shared/host-name.ts';
import { contactable, embeddedIPv4 } from '../../shared/public-ip.ts';
import type { CallbackRules } from '../config/sections/callbacks-section.ts';
import { Failure } from '../core/failures.ts';
import { trustIps } from '../keys/trusted-ips.ts';

export const MAX_LENGTH = 2_000;
const RESULTS = { name: 'url', use: 'It gets the results of the batch.' };

/** Ports of programs that take an HTTP request for commands. First the list of the Fetch standard, "bad port". */
const REFUSED_PORTS = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
  // Redis and Memcached.
  6379, 11211,
]);

/** @returns a test for an IP address. An IPv6 address that contains a refused IPv4 address is refused, too */
export function callableIps(rules: CallbackRules): (ip: string) => boolean {
  const mayContact = contactable(rules.allowPrivateAddresses);
  const isRefused = trustIps(rules.refusedNetworks);
  return (ip) => mayContact(ip) && !isRefused(ip) && !isRefused(embeddedIPv4(ip) ?? ip);
}

/**
 * The URL parser normalises every notation of an IP address. A host name that resolves to an IP address that webhooks
 * may not go to is refused when connecting.
 *
 * @param purpose its name, and what it is for @throws {Failure} 400 for a URL that webhooks cannot or may not go to
 */
export function readReceiverUrl(text: string, rules: CallbackRules, purpose = RESULTS): string {
  const refuse = (expected: string) =>
    new Failure('badRequest', `Expected ${purpose.name} to be ${expected}. ${purpose.use}`);
  const url = text.length <= MAX_LENGTH && URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw refuse(`an http or https URL of at most ${MAX_LENGTH} characters`);
  if (url.username || url.password) throw refuse('a URL without a user name and a password');
  if (isRefusedPort(url)) throw refuse(`a URL with a port for HTTP, got the port ${url.port}`);
  if (!isCallableHost(url.hostname, rules))
    throw refuse(
      rules.allowPrivateAddresses
        ? 'a URL on an IP address that is not refused here'
        : 'a URL on a public IP address',
    );
  return url.href;
}

export const isRefusedPort = ({ port }: URL): boolean => port !== '' && REFUSED_PORTS.has(Number(port));

/** Whether webhooks may go to the host of a URL, as far as its name tells. */
export function isCallableHost(hostname: string, rules: CallbackRules): boolean {
  const literal = /^\[(.*)\]$/.exec(hostname)?.[1] ?? (/^[\d.]+$/.test(hostname) ? hostname : undefined);
  if (literal !== undefined) {
    const ip = literal.replace(/\.$/, '');
    // The agent that sends webhooks refuses IPv6 addresses that contain an IPv4 address, also a public one.
    const isSent = rules.allowPrivateAddresses || embeddedIPv4(ip) === undefined;
    return isSent && callableIps(rules)(ip);
  }
  // RFC 6761, section 6.3: such names are this machine.
  const name = (normaliseHost(hostname) ?? hostname).replace(/\.$/, '');
  return rules.allowPrivateAddresses || (name !== 'localhost' && !name.endsWith('.localhost'));
}
