/** The meaning of a result in plain words, and advice on the address. */
import type { Reason, VerificationResult } from '../../../protocol/result.ts';

export interface InWords {
  /** The main point in one line. */
  readonly headline: string;
  /** Why. */
  readonly because: string;
  /** What to do now. */
  readonly advice: string;
}

type Result = Pick<
  VerificationResult,
  'reason' | 'accept_all' | 'disposable' | 'no_reply' | 'role' | 'mailbox_full' | 'mx_record'
>;

const LATER = 'Verify it again later. Until then, treat the address as neither good nor bad.';
const LEAVE_OUT = 'Remove it from your list, or ask its owner for another address.';

/** @param rule from the last step of the evidence, by the engine's `verdict.ts` */
export const sayResult = (result: Result, rule: string | undefined): InWords =>
  WORDS[result.reason](result, rule);

const WORDS: Readonly<Record<Reason, (result: Result, rule: string | undefined) => InWords>> = {
  accepted_email: ({ role }) => ({
    headline: 'This address can receive email',
    because: role
      ? 'Its mail server accepts it. It belongs to a role such as support or sales, so several people may read it.'
      : 'Its mail server accepts it.',
    advice: role
      ? 'You can send to it. For newsletters, ask for the address of a person.'
      : 'You can send to it.',
  }),
  low_quality: (result) => ({
    headline: 'You can reach this address, but it is of little use',
    because: `Its mail server accepts it, but ${whyOfLittleUse(result)}.`,
    advice: 'Ask for another address. Do not send newsletters to it.',
  }),
  low_deliverability: (result, rule) => {
    if (result.mailbox_full)
      return {
        headline: 'The mailbox is full',
        because: 'The mailbox exists, but its server says that it takes no more email.',
        advice: 'Try again in a few days. If it stays full, the mailbox is probably abandoned.',
      };
    if (rule === 'no server was asked')
      return {
        headline: 'The domain accepts email, but the mailbox was not checked',
        because: 'No mail server was asked.',
        advice: 'Verify it again with the mail server to know more.',
      };
    return {
      headline: 'This address may or may not exist',
      because: 'Its mail server accepts every address of the domain, even those that do not exist.',
      advice: 'Send only if you know where the address comes from. Remove it if a message comes back.',
    };
  },
  invalid_email: () => ({
    headline: 'This is not an email address',
    because: 'An email address is a name, an @ sign and a domain. This text breaks the rules for them.',
    advice: 'Look for a typing error, such as a space, a missing @ or a missing dot.',
  }),
  invalid_domain: () => ({
    headline: 'Do not send to this address: its domain does not accept email',
    because: 'The domain does not exist, or it names no mail server.',
    advice: `Look for a typing error in the domain. ${LEAVE_OUT}`,
  }),
  rejected_email: () => ({
    headline: 'Do not send to this address: there is no such mailbox',
    because: 'The mail server of the domain says that it has no such mailbox, or that it is closed.',
    advice: LEAVE_OUT,
  }),
  invalid_smtp: (_result, rule) => ({
    headline: 'Do not send to this address: its server cannot take it',
    because:
      rule === 'the server speaks no SMTP'
        ? 'The server of the domain does not speak SMTP, the protocol of mail servers.'
        : 'The mail server cannot take this kind of address, such as one with letters beyond ASCII.',
    advice: LEAVE_OUT,
  }),
  no_connect: () => ({
    headline: 'We do not know: no mail server of the domain could be reached',
    because: 'The domain names mail servers, but none of them accepted a connection.',
    advice: LATER,
  }),
  timeout: () => ({
    headline: 'We do not know: there was no answer in time',
    because: 'A name server or a mail server of the domain did not answer in time.',
    advice: LATER,
  }),
  unavailable_smtp: (_result, rule = '') => ({
    headline: 'We do not know: the mail server did not say',
    because: UNAVAILABLE[rule] ?? 'The mail server refused to say whether it has the mailbox.',
    advice: LATER,
  }),
  unexpected_error: () => ({
    headline: 'We do not know: the verification could not be finished',
    because: 'A name server failed, a server sent nonsense, or something went wrong on our side.',
    advice: LATER,
  }),
};

/** Sample results also have reasons that the engine never gives together with `low_quality`. */
function whyOfLittleUse({ disposable, mailbox_full, no_reply, role }: Result): string {
  if (disposable) return 'it belongs to a service for throwaway addresses';
  if (mailbox_full) return 'its mailbox is full';
  if (no_reply) return 'its name suggests that mail to it is not read';
  if (role) return 'it belongs to a role, so several people may read it';
  return 'it is of little use';
}

const UNAVAILABLE: Readonly<Record<string, string>> = {
  'the server refused the conversation':
    'The mail server refused to talk to us, which says nothing about the mailbox.',
  'the server refused the sender':
    'The mail server refused our sender address, which says nothing about the mailbox.',
  'the conversation was held back':
    'Many addresses of this provider were verified recently, so the service has paused its requests to the provider.',
  'the server closed the connection': 'The mail server closed the connection before it said anything.',
  'the refusal is about the service, not the mailbox':
    'The mail server refused because of us, which says nothing about the mailbox.',
  'the refusal is temporary':
    'The mail server asks to come back later. Many servers do so at the first contact.',
};

/** The meaning of a score, next to its number. */
export const SCORES =
  'From 80 to 100: deliverable. From 1 to 79: risky, the lower the riskier. 0: undeliverable. Unknown results have 50.';
