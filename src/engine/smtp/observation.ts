/** The question to a mail host, and the possible observations. */
import type { MailHost } from '../dns/mail-hosts.ts';
import type { ProbeAnswer } from '../domains/domain-facts.ts';
import type { HeldBack } from '../pacing/pacing.ts';
import type { MailOrganisation } from '../providers.ts';
import type { Recorder } from '../recorder.ts';
import type { Reading } from '../replies/reply.ts';
import type { Signal } from '../signal.ts';

/** Who decides whether the impossible address is sent, and learns what became of it. */
export interface Probing {
  /** Asked while the conversation is open. */
  mayProbe(): Promise<boolean>;
  /** Called when it was sent, or when its own conversation failed. */
  probed(answer: ProbeAnswer): void;
}

/** One address at one mail host. */
export interface MailQuestion {
  readonly host: MailHost;
  readonly organisation: MailOrganisation;
  /** The address for RCPT TO, with its domain in ASCII. */
  readonly recipient: string;
  /** An address that cannot exist, for the check after the real one is accepted. Absent without the check for accept-all. */
  readonly impossible: string | undefined;
  /** @default the impossible address is sent whenever the real one is accepted */
  readonly probing?: Probing | undefined;
  /** Ends everything when the budget is over. */
  readonly signal: Signal;
  /** Ends the wait for a conversation. */
  readonly calledOff?: AbortSignal | undefined;
  /** Milliseconds for connection, banner and greeting, so that time is left for the next host. */
  readonly greetingMs: number;
  /** Whether no caller waits for it. Questions of waiting callers then go first. */
  readonly inBackground: boolean;
  readonly recorder: Recorder;
}

/** The outcome at a mail host. The table in `verdict.ts` has a line for each. */
export type Observation =
  /** A reply to RCPT, which decides. */
  | {
      readonly kind: 'answered';
      readonly reading: Reading;
      /** Whether the impossible address was accepted, or `null` if that is not known. */
      readonly acceptsAll: boolean | null;
    }
  /** No connection, or no banner: refused, unreachable or silent. The next host is tried. */
  | { readonly kind: 'unreachable' }
  /** The server refused the banner or greeting, never ended it, or closed the connection. The next host is tried. */
  | { readonly kind: 'not-welcome'; readonly slowDown: boolean }
  /** The server refused MAIL FROM. This is about the sender. */
  | { readonly kind: 'sender-refused'; readonly slowDown: boolean }
  /** The server does not have SMTPUTF8, which the address needs. */
  | { readonly kind: 'no-smtputf8' }
  /** The address needs SMTPUTF8. The server did not name it, and did not name all of its extensions. */
  | { readonly kind: 'smtputf8-unknown' }
  /** The banner is not SMTP. The next host is tried. */
  | { readonly kind: 'not-smtp' }
  /** The connection ended after the greeting, without a reply to RCPT. */
  | { readonly kind: 'closed' }
  /** After the greeting, the server sent a reply that is too long or never ends. */
  | { readonly kind: 'flood' }
  /** After the greeting, the server was silent until the signal. */
  | { readonly kind: 'silent' }
  /** During the greeting, the server was silent until `greetingMs` was over. The next host is tried. */
  | { readonly kind: 'mute' }
  /** The conversation did not begin. */
  | { readonly kind: 'held-back'; readonly why: HeldBack };
