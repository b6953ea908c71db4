/** A conversation after its greeting: addresses are asked about, each in a transaction of its own, and it ends with QUIT. */
import type { Recorder } from '../recorder.ts';
import type { Reading } from '../replies/reply.ts';
import { mailFrom, needsSmtpUtf8, QUIT, RSET, rcptTo } from './commands.ts';
import { CLOSING, exchange, type Inquiry, type Line, sayFarewell } from './exchange.ts';
import { within } from './time.ts';

/** What came of one address. */
export type Asked =
  | { readonly kind: 'replied'; readonly code: number; readonly reading: Reading }
  | { readonly kind: 'sender-refused'; readonly code: number; readonly slowDown: boolean }
  | { readonly kind: 'no-smtputf8' }
  | { readonly kind: 'not-smtp' | 'flood' | 'closed' | 'silent' };

export interface Conversation {
  /** How many recipients the server was asked about. */
  readonly recipients: number;
  /** Nothing has happened that forbids another transaction. */
  readonly isUsable: boolean;
  /**
   * MAIL FROM and RCPT TO. Never DATA: no message is sent.
   *
   * @param stage `probe` for an address that cannot exist
   */
  ask(stage: 'rcpt' | 'probe', inquiry: Inquiry, signal: AbortSignal): Promise<Asked>;
  /** Ends the transaction. @returns whether another one may begin */
  reset(): Promise<boolean>;
  /** Says RSET and QUIT where they can be said, and closes. Resolves when the connection is closed, in bounded time. */
  end(): Promise<void>;
}

/** How long the end of a transaction or of a conversation may take. Nobody waits for it. */
const FAREWELL_MS = 1000;
/** How long a reply is awaited that nobody needs any more, so that QUIT can be said after it. */
const LATE_REPLY_MS = 250;

export function createConversation(
  line: Line,
  extensions: ReadonlySet<string>,
  /** Who the evidence of an end without a recipient is for. */
  first: Recorder,
): Conversation {
  const { channel, asker } = line;
  let recorder = first;
  let recipients = 0;
  let isInTransaction = false;
  let isClosing = false;

  async function reset(signal: AbortSignal): Promise<boolean> {
    // What nobody has asked for would be taken for the reply to RSET.
    if (channel.unasked()) isClosing = true;
    if (isClosing || !isInTransaction) return !isClosing;
    const reply = await sayFarewell(line, RSET, 'rset', recorder, signal);
    isInTransaction = false;
    // RFC 5321, section 4.1.1.5: nothing but 250 is allowed here.
    if (reply?.code !== 250) isClosing = true;
    return !isClosing;
  }

  async function ask(stage: 'rcpt' | 'probe', inquiry: Inquiry, signal: AbortSignal): Promise<Asked> {
    recorder = inquiry.recorder;
    const needsUtf8 = needsSmtpUtf8(inquiry.recipient) || needsSmtpUtf8(asker.mailFrom);
    if (needsUtf8 && !extensions.has('SMTPUTF8')) return { kind: 'no-smtputf8' };
    // Made first, so that an address of which no command can be made begins no transaction.
    const rcpt = { stage, command: rcptTo(inquiry.recipient), shown: 'RCPT TO' } as const;
    if (!(await reset(signal))) return { kind: signal.aborted ? 'silent' : 'closed' };
    const mail = { stage: 'mail', command: mailFrom(asker.mailFrom, needsUtf8), shown: 'MAIL FROM' } as const;
    const sender = await exchange(line, mail, inquiry, signal);
    if (sender.kind !== 'read') return sender;
    const { code } = sender.reply;
    if (code === CLOSING) isClosing = true;
    if (code >= 300) return { kind: 'sender-refused', code, slowDown: sender.reading.slowDown };
    isInTransaction = true;
    recipients += 1;
    const answer = await exchange(line, rcpt, inquiry, signal);
    if (answer.kind !== 'read') return answer;
    if (answer.reply.code === CLOSING) isClosing = true;
    return { kind: 'replied', code: answer.reply.code, reading: answer.reading };
  }

  return {
    get recipients() {
      return recipients;
    },
    get isUsable() {
      return channel.isUsable && !channel.isAwaiting && !isClosing;
    },
    async ask(stage, inquiry, signal) {
      const asked = await ask(stage, inquiry, signal);
      if (asked.kind === 'closed') isClosing = true;
      return asked;
    },
    reset: () => within(FAREWELL_MS, undefined, reset),
    end: () => endPolitely(line, recorder, () => isInTransaction && !isClosing),
  };
}

/**
 * RFC 5321, section 4.1.1.10: a client says QUIT before it closes. A command of which the reply is still awaited comes
 * first, since commands are not pipelined.
 */
export async function endPolitely(
  line: Line,
  recorder: Recorder,
  isInTransaction = () => false,
): Promise<void> {
  const { channel } = line;
  const canSpeak = () => channel.isUsable && !channel.isAwaiting;
  try {
    await within(FAREWELL_MS, undefined, async (signal) => {
      if (channel.isUsable && channel.isAwaiting) {
        await within(LATE_REPLY_MS, signal, (late) => channel.read(late));
      }
      if (canSpeak() && isInTransaction()) await sayFarewell(line, RSET, 'rset', recorder, signal);
      if (canSpeak()) await sayFarewell(line, QUIT, 'quit', recorder, signal);
    });
  } finally {
    await channel.close();
  }
}
