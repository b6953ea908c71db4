/**
 * Makes sample results without the lists and libraries of the service, also in browsers. Each address gets the same
 * state, reason, score and names as from the service, unless they follow from facts that it does not know: `disposable`,
 * `free`, `role` and `did_you_mean` know only the best-known domains and words.
 */
import { splitAddress } from '../../engine/address/parts.ts';
import type { Facts } from '../../engine/facts/facts.ts';
import { isNoReply } from '../../engine/facts/no-reply.ts';
import { mailHostOf } from '../../engine/facts/smtp-provider.ts';
import { isTypo } from '../../engine/facts/typo.ts';
import { sampleResult } from '../../sample/sample-result.ts';
import type { Draw } from '../../sample/sampled-reason.ts';
import { findTestAddress } from '../../sample/test-addresses.ts';
import { type Reply, status, text, tryAgain } from '../replies.ts';

/** The best-known providers of mailboxes that last for minutes. */
export const DISPOSABLE = [
  ...['10minutemail.com', 'dispostable.com', 'getnada.com', 'guerrillamail.com', 'mailinator.com'],
  ...['sharklasers.com', 'temp-mail.org', 'throwawaymail.com', 'trashmail.com', 'yopmail.com'],
];

/** Words that name a role at almost every domain. */
export const ROLES = [
  ...['abuse', 'accounts', 'admin', 'billing', 'contact', 'hello', 'help', 'hostmaster', 'info', 'jobs'],
  ...['marketing', 'office', 'postmaster', 'sales', 'security', 'service', 'support', 'team', 'webmaster'],
];

/** The providers whose names people mistype most often. */
const OFTEN_MISTYPED = ['gmail.com', 'yahoo.com', 'hotmail.com', 'outlook.com', 'icloud.com'];

/** All providers that are known by name are free, except Fastmail. */
const isFree = (domain: string) => ![null, 'fastmail'].includes(mailHostOf(domain).provider);

function suggestAddress(address: string): string | null {
  const { local, domain } = splitAddress(address);
  const [label = '', ...ending] = domain.toLowerCase().split('.');
  const meant = OFTEN_MISTYPED.find((host) => {
    const isCom = ending.join('.') === 'com';
    return isCom && isTypo(label, host.replace('.com', ''));
  });
  return meant === undefined ? null : `${local}@${meant}`;
}

const FACTS: Facts = {
  isDisposable: (domain) => DISPOSABLE.includes(domain),
  isFree,
  isRole: (user) => ROLES.includes(user.toLowerCase()) || isNoReply(user),
  suggestAddress,
};

/** Labels separated by dots, without a hyphen at either end of a label. */
const DOMAIN = /^(?!.{254})[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;
const LOCAL =
  /^(?:(?:[\w!#$%&'*+/=?^`{|}~-]|[^\0-\x7f])+(?:\.(?:[\w!#$%&'*+/=?^`{|}~-]|[^\0-\x7f])+)*|"[ -~]*")$/;

/** Uses the platform's URL parser, which knows international names. */
function toAsciiDomain(domain: string): string {
  let ascii = domain.toLowerCase();
  if (/[^\0-\x7f]/.test(ascii)) {
    try {
      ascii = new URL(`http://${ascii}`).hostname;
    } catch {
      return '';
    }
  }
  return DOMAIN.test(ascii) ? ascii : '';
}

/** The properties that a sample result draws. */
const DRAWN = ['reason', 'mailbox full', 'score', 'duration'];

/** Draws the same numbers as the service, with the hash function that browsers have. It is asynchronous. */
async function drawFor(address: string): Promise<Draw> {
  const digests = await Promise.all(
    DRAWN.map(async (property) => {
      const bytes = new TextEncoder().encode(`${property}\n${address.toLowerCase()}`);
      const digest = await crypto.subtle.digest('SHA-256', bytes);
      return [property, new DataView(digest).getUint32(0)] as const;
    }),
  );
  const numbers = new Map(digests);
  return (property, below) => (numbers.get(property) ?? 0) % below;
}

/**
 * The reply for an address without a scripted answer.
 *
 * @param parameters the parameters of the query and the body
 * @param authorization the header `Authorization`
 */
export async function sampleReply(
  given: string,
  parameters: Readonly<Record<string, string>>,
  authorization: string | string[] | undefined,
): Promise<Reply> {
  if (!parameters.api_key && !parameters.access_token && !authorization)
    return status(401, 'API key is required');
  const address = given.trim();
  if (!address) return status(400, 'email: Expected an address, got none.');
  const { timeout = '5' } = parameters;
  if (!/^([2-9]|10)$/.test(timeout)) return status(400, 'timeout: Expected a whole number from 2 to 10.');
  const { local, user, domain } = splitAddress(address);
  const asciiDomain = toAsciiDomain(domain);
  const isAddress = asciiDomain !== '' && LOCAL.test(local);
  if (isAddress && findTestAddress(user, domain) === null) return tryAgain();
  const request = { address, acceptAll: parameters.accept_all === 'true' };
  const about = { facts: FACTS, isAddress, asciiDomain };
  const result = sampleResult(request, about, await drawFor(address));
  return text(JSON.stringify(result));
}
