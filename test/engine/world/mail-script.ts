/** How a scripted mail server behaves. What is left out is a friendly server that has every mailbox. */
import type { Step } from './acts.ts';

export interface RecipientContext {
  /** As the server sees the client. */
  readonly ip: string;
  readonly sender: string;
  /** The number of the connection, from 1. */
  readonly connection: number;
  /** Which RCPT of the connection this is, from 1. */
  readonly nth: number;
  /** The name that the client gave. */
  readonly helo: string;
}

export interface MailScript {
  readonly banner?: Step;
  /** Instead of the list of extensions. */
  readonly ehlo?: Step;
  readonly helo?: Step;
  readonly mail?: Step;
  /** For every recipient, or by recipient. */
  readonly rcpt?: Step | ((recipient: string, context: RecipientContext) => Step);
  readonly rset?: Step;
  readonly quit?: Step;
  /** What EHLO lists besides STARTTLS and SMTPUTF8. */
  readonly extensions?: readonly string[];
  readonly smtpUtf8?: boolean;
  /**
   * `refused`: offered, and answered with 454. `busy`: answered with 421. `unwelcome`: answered as iCloud does. `broken`: garbage instead of a handshake. `hanging`: no handshake.
   * `closing`: the connection ends when the handshake begins. `mute`: no reply after the handshake. `unlisted`: not in EHLO,
   * but understood.
   */
  readonly starttls?:
    | 'none'
    | 'offered'
    | 'refused'
    | 'busy'
    | 'unwelcome'
    | 'broken'
    | 'hanging'
    | 'closing'
    | 'mute'
    | 'unlisted';
  /** Knows TLS 1.0 only. */
  readonly oldTls?: boolean;
  /** Sent in the same packet as the reply to STARTTLS (CVE-2011-0411). */
  readonly injectedBeforeTls?: string;
  /** MAIL is answered with `530 5.7.0` until there is TLS. */
  readonly tlsRequired?: boolean;
  /** The only mailboxes. Others are `550 5.1.1`. Without it, or with `catchAll`, every mailbox exists. */
  readonly mailboxes?: readonly string[];
  readonly catchAll?: boolean;
  /**
   * The first attempt of each client's IP address, sender and recipient is answered with `450 4.2.0`. `mailboxes`: only for
   * names that exist, so that the refusal tells them from others.
   */
  readonly greylist?: boolean | 'mailboxes';
  /** The reply at the end of DATA. Without it, the server does not know DATA. */
  readonly data?: Step;
  /** The recipient after so many in one connection is answered with 421, and the connection ends. */
  readonly recipientsBefore421?: number;
  /** A connection beyond so many at the same time is greeted with 421. */
  readonly connectionsBefore421?: number;
  /** Who speaks before the banner is complete is greeted with `554 5.5.1`, as by postscreen. */
  readonly punishEarlyTalkers?: boolean;
}

/** A line that a client has sent. */
export interface LoggedCommand {
  /** The number of the connection, from 1. */
  readonly connection: number;
  readonly line: string;
  /** Whether it came before the previous reply, or the banner, was complete. */
  readonly early: boolean;
  readonly tls: boolean;
}
