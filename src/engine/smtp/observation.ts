/** What is asked of a mail server, and what can come of it. */
import type { MailHost } from '../dns/mail-hosts.ts';
import type { HeldBack } from '../pacing/pacing.ts';
import type { MailOrganisation } from '../providers.ts';
import type { Recorder } from '../recorder.ts';
import type { Reading } from '../replies/reply.ts';

/** One address at one mail server. */
export interface MailQuestion {
  readonly host: MailHost;
  readonly organisation: MailOrganisation;
  /** The address as it goes into RCPT TO: the domain in ASCII unless the local part needs SMTPUTF8. */
  readonly recipient: string;
  /** An address that cannot exist, asked about after the real one is accepted. Absent if accept-all is not asked for. */
  readonly impossible: string | undefined;
  /** Ends everything: the budget is over. */
  readonly signal: AbortSignal;
  /** Ends the wait for a conversation. */
  readonly calledOff?: AbortSignal | undefined;
  /** Milliseconds until connection, banner and greeting must be done, so that time is left for the next host. */
  readonly greetingMs: number;
  /** Whether nobody waits for it, so that other questions go first. */
  readonly inBackground: boolean;
  readonly recorder: Recorder;
}

/** What was observed. The verdict's table (`verdict.ts`) has a line for each. */
export type Observation =
  /** A reply to RCPT. It decides. */
  | {
      readonly kind: 'answered';
      readonly reading: Reading;
      /** Whether the impossible address was accepted, or null if that was not found out. */
      readonly acceptsAll: boolean | null;
    }
  /** No connection, or nothing on it: refused, unreachable, deaf, or mute before the banner. The next host is asked. */
  | { readonly kind: 'unreachable' }
  /** Refused banner or greeting, one that never ends, or closed before it was done. The next host is asked. */
  | { readonly kind: 'not-welcome'; readonly slowDown: boolean }
  /** MAIL FROM was refused. It is about the sender. */
  | { readonly kind: 'sender-refused'; readonly slowDown: boolean }
  /** The server has not got SMTPUTF8, and the address needs it. */
  | { readonly kind: 'no-smtputf8' }
  /** The banner is not SMTP. The next host is asked. */
  | { readonly kind: 'not-smtp' }
  /** The connection ended after the greeting, without a reply to RCPT. */
  | { readonly kind: 'closed' }
  /** After the greeting, a reply that is too long or never ends. */
  | { readonly kind: 'flood' }
  /** Silence after the greeting until the signal. */
  | { readonly kind: 'silent' }
  /** Silence during the greeting until `greetingMs` was over. The next host is asked. */
  | { readonly kind: 'mute' }
  /** The conversation did not begin. */
  | { readonly kind: 'held-back'; readonly why: HeldBack };
