/** The engine's table: from the outcome to the reason, state and score. */
import type { Reason, State } from '../protocol/result.ts';
import { STATE_OF_REASON } from '../protocol/state-of-reason.ts';
import type { Meaning } from './replies/reply.ts';
import type { Observation } from './smtp/mail-client.ts';

/** How a verification ended. */
export type Ending =
  /** The address has no valid form. */
  | { readonly kind: 'invalid-address' }
  /** The domain does not exist, or takes no mail. */
  | { readonly kind: 'nowhere' }
  /** The DNS lookup failed. */
  | { readonly kind: 'dns-failed' }
  /** The budget was over before the DNS had answered. */
  | { readonly kind: 'dns-silent' }
  /** There is a mail server, and the request says not to contact it. */
  | { readonly kind: 'not-asked' }
  /** The budget was over before all mail hosts were tried. */
  | { readonly kind: 'out-of-time' }
  /** Another conversation asks whether the domain accepts every address, and this one can wait for it. */
  | { readonly kind: 'fact-awaited' }
  /** The address was accepted, the question about its domain needs another conversation, and that one was held back. */
  | { readonly kind: 'probe-held-back' }
  /** A fault of our own. */
  | { readonly kind: 'fault' }
  | Observation;

/** The facts about the address and its provider, apart from the conversation. */
export interface Known {
  readonly isDisposable: boolean;
  readonly isFree: boolean;
  readonly isRole: boolean;
  readonly isNoReply: boolean;
  /** The provider's servers accept every recipient. */
  readonly providerAcceptsAll: boolean;
  /** What is known of the domain: whether its servers accept every address. */
  readonly knownAcceptAll?: boolean | null;
  /** Whether the request asks for `accept_all`. */
  readonly wantsAcceptAll: boolean;
  /** The provider's servers accept every recipient of many domains. An acceptance proves something where one is refused. */
  readonly providerMayAcceptAll: boolean;
}

/** An address of which only the ending of its conversation is known. */
export const NOTHING_KNOWN: Known = {
  ...{ isDisposable: false, isFree: false, isRole: false, isNoReply: false },
  ...{ providerAcceptsAll: false, providerMayAcceptAll: false, wantsAcceptAll: false },
};

export interface Verdict {
  readonly reason: Reason;
  readonly state: State;
  /** 0 undeliverable, 1–79 risky, 80–100 deliverable, 50 unknown. */
  readonly score: number;
  readonly acceptAll: boolean | null;
  readonly mailboxFull: boolean;
  /** The line of the table that decided. */
  readonly rule: string;
}

interface Line extends Pick<Verdict, 'rule' | 'reason' | 'score'> {
  readonly mailboxFull?: true;
}

const UNDELIVERABLE = 0;
const UNKNOWN = 50;

const line = (reason: Reason, rule: string, score: number): Line => ({ reason, rule, score });
const unknown = (reason: Reason, rule: string) => line(reason, rule, UNKNOWN);
const undeliverable = (reason: Reason, rule: string) => line(reason, rule, UNDELIVERABLE);

/** The rule of a verification that was held back, because of too many others. */
export const HELD_BACK = 'the conversation was held back';
/** The rule of a verification that is repeated when it is known whether the domain accepts every address. */
export const FACT_AWAITED = 'another conversation asks whether the domain accepts every address';
/** The rules of a full mailbox, and of one that does not exist. */
export const FULL = 'the mailbox is full';
export const NO_SUCH_MAILBOX = 'there is no such mailbox';

/** The lines for all ends without a reply to RCPT. Undeliverable needs certainty about the address or its domain. */
const LINES: Readonly<Record<Exclude<Ending['kind'], 'answered' | 'not-asked'>, Line>> = {
  'invalid-address': undeliverable('invalid_email', 'the address has no valid form'),
  nowhere: undeliverable('invalid_domain', 'the domain takes no mail'),
  'not-smtp': undeliverable('invalid_smtp', 'the server speaks no SMTP'),
  'no-smtputf8': undeliverable('invalid_smtp', 'the server cannot take this kind of address'),
  'smtputf8-unknown': unknown('unavailable_smtp', 'the server may not take this kind of address'),
  'dns-failed': unknown('unexpected_error', 'the DNS lookup failed'),
  'dns-silent': unknown('timeout', 'the DNS did not answer in time'),
  unreachable: unknown('no_connect', 'no mail server could be reached'),
  'not-welcome': unknown('unavailable_smtp', 'the server refused the conversation'),
  'sender-refused': unknown('unavailable_smtp', 'the server refused the sender'),
  'held-back': unknown('unavailable_smtp', HELD_BACK),
  'fact-awaited': unknown('unavailable_smtp', FACT_AWAITED),
  'probe-held-back': unknown('unavailable_smtp', HELD_BACK),
  closed: unknown('unavailable_smtp', 'the server closed the connection'),
  flood: unknown('unexpected_error', 'the server sent too much'),
  silent: unknown('timeout', 'the server did not answer in time'),
  mute: unknown('timeout', 'the server did not answer in time'),
  'out-of-time': unknown('timeout', 'the time ran out'),
  fault: unknown('unexpected_error', 'a fault of the service'),
};

/** The lines for replies to RCPT that do not accept. */
const REPLIES: Readonly<Record<Exclude<Meaning, 'accepted'>, Line>> = {
  'no-such-mailbox': undeliverable('rejected_email', NO_SUCH_MAILBOX),
  'mailbox-full': { ...line('low_deliverability', FULL, 25), mailboxFull: true },
  'unsupported-address': undeliverable('invalid_smtp', 'the server cannot take this kind of address'),
  'about-us': unknown('unavailable_smtp', 'the refusal is about the service, not the mailbox'),
  temporary: unknown('unavailable_smtp', 'the refusal is temporary'),
  refused: unknown('unavailable_smtp', 'the refusal does not say why'),
};

/** @returns the verdict for an outcome */
export function judge(ending: Ending, known: Known): Verdict {
  const { reason, score, mailboxFull = false, rule } = choose(ending, known);
  const acceptAll = acceptAllOf(ending, known);
  return { reason, state: STATE_OF_REASON[reason], score, acceptAll, mailboxFull, rule };
}

function choose(ending: Ending, known: Known): Line {
  if (ending.kind === 'not-asked') return risky('no server was asked', known);
  if (ending.kind !== 'answered') return LINES[ending.kind];
  const { meaning } = ending.reading;
  return meaning === 'accepted' ? accepted(ending.acceptsAll, known) : REPLIES[meaning];
}

function accepted(acceptsAll: boolean | null, known: Known): Line {
  if (acceptsAll) return risky('the server accepts every address', known);
  if (known.knownAcceptAll) return risky('the domain is known to accept every address', known);
  if (known.providerAcceptsAll) return risky('the provider is known to accept every address', known);
  if (known.providerMayAcceptAll && (acceptsAll ?? known.knownAcceptAll) !== false)
    return risky('the provider may accept every address', known);
  if (known.isDisposable) return line('low_quality', 'accepted, and the domain is disposable', 20);
  if (known.isNoReply) return line('low_quality', 'accepted, a no-reply address', 40);
  if (known.isRole) return line('accepted_email', 'accepted, a role address', known.isFree ? 85 : 90);
  return line('accepted_email', 'accepted', known.isFree ? 95 : 100);
}

const risky = (rule: string, known: Known) => line('low_deliverability', rule, lower(70, known));

/** Lowers the score of a risky address for each negative fact. */
function lower(score: number, { isDisposable, isNoReply, isRole, isFree }: Known): number {
  return score - (isDisposable ? 40 : 0) - (isNoReply ? 15 : 0) - (isRole ? 5 : 0) - (isFree ? 5 : 0);
}

function acceptAllOf(ending: Ending, known: Known): boolean | null {
  const { wantsAcceptAll, providerAcceptsAll, knownAcceptAll = null } = known;
  if (!wantsAcceptAll || ending.kind !== 'answered' || ending.reading.meaning !== 'accepted') return null;
  return providerAcceptsAll ? true : (ending.acceptsAll ?? knownAcceptAll);
}
