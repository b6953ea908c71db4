/** Reads the parameter `url`, which receives the results of a batch. */
import { normaliseHost } from '../../network/host-name.ts';
import { isPublicIp } from '../../network/public-ip.ts';
import { Failure } from '../failures.ts';

const MAX_LENGTH = 2_000;

/**
 * The URL parser normalises every notation of an IP address. A host name that resolves to a private IP address is
 * refused when connecting.
 *
 * @throws {Failure} 400 for a URL that callbacks cannot or may not go to
 */
export function readCallbackUrl(text: string, allowPrivateAddresses: boolean): string {
  const refuse = (expected: string) =>
    new Failure('badRequest', `Expected url to be ${expected}. It gets the results of the batch.`);
  const url = text.length <= MAX_LENGTH && URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw refuse(`an http or https URL of at most ${MAX_LENGTH} characters`);
  }
  if (url.username || url.password) throw refuse('a URL without a user name and a password');
  if (!allowPrivateAddresses && !isPublicHost(url.hostname)) throw refuse('a URL on a public IP address');
  return url.href;
}

/** Whether callbacks may go to the host of a URL, as far as its name tells. */
export function isPublicHost(hostname: string): boolean {
  const literal = /^\[(.*)\]$/.exec(hostname)?.[1] ?? (/^[\d.]+$/.test(hostname) ? hostname : undefined);
  if (literal !== undefined) return isPublicIp(literal);
  // RFC 6761, section 6.3: such names are this machine.
  const name = (normaliseHost(hostname) ?? hostname).replace(/\.$/, '');
  return name !== 'localhost' && !name.endsWith('.localhost');
}
