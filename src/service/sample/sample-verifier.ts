/**
 * Answers for test keys. What can be told from the address alone is true; what a mail server would have said
 * is drawn from a hash of it. Asks nobody.
 */
import type { Reason, VerificationResult } from '../../interface/result.ts';
import { canBePublic, toAsciiDomain } from '../address/domain.ts';
import { splitAddress } from '../address/parts.ts';
import { isAddress } from '../address/syntax.ts';
import { isDisposable } from '../attributes/disposable.ts';
import { isFree } from '../attributes/free.ts';
import { possibleName } from '../attributes/names.ts';
import { isNoReply, isRole } from '../attributes/role.ts';
import { mailHostOf } from '../attributes/smtp-provider.ts';
import { suggestAddress } from '../attributes/suggestion.ts';
import type { Question, Verifier } from '../verify/verifier.ts';
import { type Draw, drawFor, drawReason, STATE_OF_REASON, scoreFor } from './sampled-reason.ts';
import { findTestAddress, TEST_DOMAIN } from './test-addresses.ts';

/** Reasons that are known before any mail server is asked. */
const ASKED_NOBODY: readonly Reason[] = ['invalid_email', 'invalid_domain', 'unexpected_error'];
/** Reasons after which the server's word on a random mailbox is to be had. */
const SERVER_SPOKE: readonly Reason[] = [
  'accepted_email',
  'rejected_email',
  'low_deliverability',
  'low_quality',
];

export const sampleVerifier: Verifier = async (question) => {
  const { user, domain } = splitAddress(question.address);
  const testAddress = isAddress(question.address) ? findTestAddress(user, domain) : undefined;
  if (testAddress === null) return undefined;
  const result = sampleResult(question, testAddress?.reason);
  return testAddress ? { ...result, ...testAddress.attributes } : result;
};

function sampleResult({ address, acceptAll }: Question, fixedReason?: Reason): VerificationResult {
  const draw = drawFor(address);
  const { user, tag, domain } = splitAddress(address);
  const asciiDomain = toAsciiDomain(domain) ?? '';
  const reason = fixedReason ?? reasonFor(address, asciiDomain, draw);
  const state = STATE_OF_REASON[reason];
  const wasAsked = !ASKED_NOBODY.includes(reason);
  const mailboxFull =
    fixedReason === undefined && reason === 'low_deliverability' && draw('mailbox full', 4) === 0;
  const role = fixedReason === undefined && isRole(user);
  const name = possibleName(role ? '' : user);
  const mailHost = mailHostOf(asciiDomain);
  const suggestion = suggestAddress(address);
  return {
    accept_all: acceptAll && SERVER_SPOKE.includes(reason) ? takesAll(reason, mailboxFull) : null,
    did_you_mean: suggestion,
    disposable: isDisposable(asciiDomain),
    domain,
    duration: durationFor(reason, wasAsked, draw),
    email: address,
    first_name: name.firstName,
    // A name that was mistyped is nobody's mail service, though the list knows some of them.
    free: asciiDomain !== TEST_DOMAIN && suggestion === null && isFree(asciiDomain),
    full_name: name.fullName,
    gender: null,
    last_name: name.lastName,
    mailbox_full: mailboxFull,
    mx_record: wasAsked ? mailHost.mxRecord : '',
    no_reply: isNoReply(user),
    reason,
    role,
    score: scoreFor(state, draw),
    smtp_provider: wasAsked ? mailHost.provider : null,
    state,
    tag,
    user,
  };
}

function reasonFor(address: string, asciiDomain: string, draw: Draw): Reason {
  if (!isAddress(address)) return 'invalid_email';
  return canBePublic(asciiDomain) ? drawReason(draw) : 'invalid_domain';
}

/** Why an existing mailbox is of low deliverability: its server takes everything, unless the mailbox is full. */
function takesAll(reason: Reason, mailboxFull: boolean): boolean {
  return reason === 'low_deliverability' && !mailboxFull;
}

/** Seconds such a verification would have taken; waiting for silent servers takes longest. */
function durationFor(reason: Reason, wasAsked: boolean, draw: Draw): number {
  if (!wasAsked) return (1 + draw('duration', 40)) / 1000;
  const milliseconds = reason === 'timeout' ? 2000 : 150 + draw('duration', 1500);
  return milliseconds / 1000;
}
