/**
 * Makes one sample result. The caller passes in the facts about the address, which are true. The replies of mail servers
 * are drawn. The file needs no lists or libraries, because the testing kit uses it too.
 */

import { splitAddress } from '../engine/address/parts.ts';
import { canBePublic } from '../engine/address/public-name.ts';
import type { Facts } from '../engine/facts/facts.ts';
import { isLargeDomain } from '../engine/facts/large-providers.ts';
import { possibleName } from '../engine/facts/names.ts';
import { isNoReply } from '../engine/facts/no-reply.ts';
import { mailHostOf } from '../engine/facts/smtp-provider.ts';
import type { VerificationRequest } from '../engine/verifier.ts';
import type { Reason, VerificationResult } from '../protocol/result.ts';
import { STATE_OF_REASON } from '../protocol/state-of-reason.ts';
import { type Draw, drawReason, scoreFor } from './sampled-reason.ts';
import { findTestAddress, TEST_DOMAIN } from './test-addresses.ts';

/** The facts about an address that need no request, and the functions that look up more. */
export interface AddressFacts {
  readonly facts: Facts;
  readonly isAddress: boolean;
  /** The domain in lower-case ASCII, or an empty text if it is not valid. */
  readonly asciiDomain: string;
}

/** Reasons that are known before a mail server is contacted. */
const ASKED_NOBODY: readonly Reason[] = ['invalid_email', 'invalid_domain', 'unexpected_error'];
/** Reasons after which the mail server also replies about a random mailbox. */
const SERVER_SPOKE: readonly Reason[] = [
  'accepted_email',
  'rejected_email',
  'low_deliverability',
  'low_quality',
];

/**
 * @param about the facts about the address
 * @param draw draws the replies of the mail server
 * @param hasTestAddresses whether the test addresses get their fixed results. In batches they do not.
 */
export function sampleResult(
  { address, acceptAll }: Pick<VerificationRequest, 'address' | 'acceptAll'>,
  about: AddressFacts,
  draw: Draw,
  hasTestAddresses = true,
): VerificationResult {
  const { user, tag, domain } = splitAddress(address);
  const testAddress = hasTestAddresses && about.isAddress ? findTestAddress(user, domain) : undefined;
  const fixedReason = testAddress?.reason;
  const { asciiDomain, facts } = about;
  const suggestion = facts.suggestAddress(address);
  const disposable = facts.isDisposable(asciiDomain);
  const no_reply = isNoReply(user);
  const isOfLittleUse = disposable || no_reply;
  const reason = fixedReason ?? reasonFor(about, draw, { isOfLittleUse, isTypo: suggestion !== null });
  const state = STATE_OF_REASON[reason];
  const wasAsked = !ASKED_NOBODY.includes(reason);
  const role = fixedReason === undefined && facts.isRole(user);
  // Something must explain a low quality, also that of a test address.
  const isUnexplained = reason === 'low_quality' && !isOfLittleUse && !role;
  const isFull =
    fixedReason === undefined && reason === 'low_deliverability' && draw('mailbox full', 4) === 0;
  const mailboxFull = isUnexplained || isFull;
  const name = possibleName(role ? '' : user);
  const mailHost = mailHostOf(asciiDomain);
  const result = {
    accept_all: acceptAll && SERVER_SPOKE.includes(reason) ? takesAll(reason, mailboxFull) : null,
    did_you_mean: suggestion,
    disposable,
    domain,
    duration: durationFor(reason, wasAsked, draw),
    email: address,
    first_name: name.firstName,
    // The list contains some mistyped domains. They are not free providers.
    free: asciiDomain !== TEST_DOMAIN && suggestion === null && facts.isFree(asciiDomain),
    full_name: name.fullName,
    gender: null,
    last_name: name.lastName,
    mailbox_full: mailboxFull,
    mx_record: wasAsked ? mailHost.mxRecord : '',
    no_reply,
    reason,
    role,
    score: scoreFor(state, draw),
    smtp_provider: wasAsked ? mailHost.provider : null,
    state,
    tag,
    user,
  };
  // Not spread into the result: that would copy all of it, for each address.
  return testAddress?.attributes ? Object.assign(result, testAddress.attributes) : result;
}

/** What the address alone says about its result. */
interface Traits {
  /** Disposable or no-reply, so that an acceptance is not worth much. */
  readonly isOfLittleUse: boolean;
  readonly isTypo: boolean;
}

/** The facts come first, so that no result contradicts them. The rest is drawn. */
function reasonFor({ isAddress, asciiDomain }: AddressFacts, draw: Draw, traits: Traits): Reason {
  if (!isAddress) return 'invalid_email';
  // People try the demo with their own address. A sample must not reject it.
  if (isLargeDomain(asciiDomain) || mailHostOf(asciiDomain).provider !== null) return 'accepted_email';
  if (!canBePublic(asciiDomain)) return 'invalid_domain';
  const drawn = drawReason(draw);
  if (drawn !== 'accepted_email') return drawn;
  if (traits.isTypo) return 'invalid_domain';
  // As the engine says of such an address.
  return traits.isOfLittleUse ? 'low_quality' : drawn;
}

/** Whether the mail server accepts every address. Without a full mailbox, that is the cause of low deliverability. */
function takesAll(reason: Reason, mailboxFull: boolean): boolean {
  return reason === 'low_deliverability' && !mailboxFull;
}

/** The seconds that such a verification would take. Waiting for a silent mail server takes longest. */
function durationFor(reason: Reason, wasAsked: boolean, draw: Draw): number {
  if (!wasAsked) return (1 + draw('duration', 40)) / 1000;
  const milliseconds = reason === 'timeout' ? 2000 : 150 + draw('duration', 1500);
  return milliseconds / 1000;
}
