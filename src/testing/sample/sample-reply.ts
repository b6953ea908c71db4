/**
 * What the real service's test keys answer, without its lists and libraries: for every address the same state, reason,
 * score and names; `disposable`, `free`, `role` and `did_you_mean` for the best-known domains and words only. Runs in
 * browsers as well.
 */
import { splitAddress } from '../../engine/address/parts.ts';
import { isNoReply } from '../../engine/facts/no-reply.ts';
import { isSlip } from '../../engine/facts/slip.ts';
import { mailHostOf } from '../../engine/facts/smtp-provider.ts';
import { sampleResult } from '../../sample/sample-result.ts';
import type { Draw } from '../../sample/sampled-reason.ts';
import { findTestAddress } from '../../sample/test-addresses.ts';
import { type Reply, status, text, tryAgain } from '../replies.ts';

/** Known everywhere for mailboxes that last for minutes. */
export const DISPOSABLE = [
  ...['10minutemail.com', 'dispostable.com', 'getnada.com', 'guerrillamail.com', 'mailinator.com'],
  ...['sharklasers.com', 'temp-mail.org', 'throwawaymail.com', 'trashmail.com', 'yopmail.com'],
];

/** Words that are a task's at almost every domain. */
export const ROLES = [
  ...['abuse', 'accounts', 'admin', 'billing', 'contact', 'hello', 'help', 'hostmaster', 'info', 'jobs'],
  ...['marketing', 'office', 'postmaster', 'sales', 'security', 'service', 'support', 'team', 'webmaster'],
];

/** The providers whose names are mistyped most. */
const OFTEN_MISTYPED = ['gmail.com', 'yahoo.com', 'hotmail.com', 'outlook.com', 'icloud.com'];

/** Of the providers that are known by name, the one that wants money. */
const isFree = (domain: string) => ![null, 'fastmail'].includes(mailHostOf(domain).provider);

function suggestAddress(address: string): string | null {
  const { local, domain } = splitAddress(address);
  const [label = '', ...ending] = domain.toLowerCase().split('.');
  const meant = OFTEN_MISTYPED.find((host) => {
    const isCom = ending.join('.') === 'com';
    return isCom && isSlip(label, host.replace('.com', ''));
  });
  return meant === undefined ? null : `${local}@${meant}`;
}

/** One label after the other, without a hyphen at either end. */
const DOMAIN = /^(?!.{254})[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;
const LOCAL =
  /^(?:(?:[\w!#$%&'*+/=?^`{|}~-]|[^\0-\x7f])+(?:\.(?:[\w!#$%&'*+/=?^`{|}~-]|[^\0-\x7f])+)*|"[ -~]*")$/;

/** By the platform's own URL parser, which knows international names. */
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

/** What `Draw` is asked for while a result is made. */
const DRAWN = ['reason', 'mailbox full', 'score', 'duration'];

/** The same numbers as the service draws, by the hash that browsers have too, and that cannot be had at once. */
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
 * The answer to a question that a test has said nothing of.
 *
 * @param parameters of the query and the body
 * @param authorization the header of that name
 */
export async function sampleReply(
  given: string,
  parameters: Readonly<Record<string, string>>,
  authorization: string | string[] | undefined,
): Promise<Reply> {
  if (!parameters.api_key && !parameters.access_token && !authorization) {
    return status(401, 'API key is required');
  }
  const address = given.trim();
  if (!address) return status(400, 'email: Expected an address, got none.');
  const { timeout = '5' } = parameters;
  if (!/^([2-9]|10)$/.test(timeout)) {
    return status(400, 'timeout: Expected a whole number from 2 to 10.');
  }
  const { local, user, domain } = splitAddress(address);
  const asciiDomain = toAsciiDomain(domain);
  const isAddress = asciiDomain !== '' && LOCAL.test(local);
  if (isAddress && findTestAddress(user, domain) === null) return tryAgain();
  const result = sampleResult(
    { address, acceptAll: parameters.accept_all === 'true' },
    {
      isAddress,
      asciiDomain,
      isDisposable: (name) => DISPOSABLE.includes(name),
      isFree,
      isRole: (name) => ROLES.includes(name.toLowerCase()) || isNoReply(name),
      suggestAddress,
    },
    await drawFor(address),
  );
  return text(JSON.stringify(result));
}
