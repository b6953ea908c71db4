/** A conversation after its greeting: one transaction for each address, then QUIT. */
import { organisationOf } from '../providers.ts';
import type { Reading } from '../replies/reply.ts';
import { type Signal, within } from '../signal.ts';
import { mailFrom, needsSmtpUtf8, QUIT, RSET, rcptTo } from './commands.ts';
import { CLOSING, exchange, type Farewell, type Inquiry, type Line, sayFarewell } from './exchange.ts';
import type { Extensions } from './greeting.ts';

/** The outcome for one address. */
export type Asked =
  | { readonly kind: 'replied'; readonly code: number; readonly reading: Reading }
  | { readonly kind: 'sender-refused'; readonly code: number; readonly slowDown: boolean }
  | { readonly kind: 'no-smtputf8' | 'smtputf8-unknown' }
  | { readonly kind: 'closed'; readonly slowDown?: true }
  | { readonly kind: 'not-smtp' | 'flood' | 'silent' };

export interface Conversation {
  /** The number of recipients so far. */
  readonly recipients: number;
  /** Whether another transaction is possible. */
  readonly isUsable: boolean;
  /** Whether the server has asked for fewer conversations after a transaction: at RSET, at QUIT, or without a command. */
  readonly isUnwelcome: boolean;
  /**
   * Sends MAIL FROM and RCPT TO. It never sends DATA, and therefore no message.
   *
   * @param stage `probe` for an address that cannot exist
   */
  ask(stage: 'rcpt' | 'probe', inquiry: Inquiry, signal: Signal): Promise<Asked>;
  /** Ends the transaction. @returns whether another one may begin */
  reset(): Promise<boolean>;
  /** Sends RSET and QUIT if possible, then closes. Resolves when the connection is closed, in bounded time. */
  end(): Promise<void>;
}

/** The time limit for the end of a transaction or conversation. Callers do not wait for it. */
const FAREWELL_MS = 1000;
/** How long to wait for a late reply, so that QUIT can follow it. */
const LATE_REPLY_MS = 250;

export function createConversation(
  line: Line,
  extensions: Extensions,
  /** Records the end of a conversation without a recipient. */
  first: Inquiry,
): Conversation {
  const { channel, asker } = line;
  let latest = first;
  let recipients = 0;
  let isInTransaction = false;
  let isClosing = false;
  let isUnwelcome = false;

  /** Takes what the server has sent without a command. It would look like the reply to the next one. */
  function takeUnasked(): void {
    for (let heard = channel.unasked(); heard; heard = channel.unasked()) {
      isClosing = true;
      if (heard.kind !== 'reply') return;
      // The only reply that may come without a command.
      if (heard.reply.code === CLOSING) isUnwelcome = true;
    }
  }

  async function reset(signal: Signal): Promise<boolean> {
    takeUnasked();
    if (isClosing || !isInTransaction) return !isClosing;
    const answer = await sayFarewell(line, RSET, 'rset', latest, signal);
    isInTransaction = false;
    // RFC 5321, section 4.1.1.5: only 250 is allowed here.
    if (answer?.reply.code !== 250) isClosing = true;
    // A refusal of our IP address may come as late as this.
    if (answer?.reading.slowDown) isUnwelcome = true;
    return !isClosing;
  }

  async function ask(stage: 'rcpt' | 'probe', inquiry: Inquiry, signal: Signal): Promise<Asked> {
    latest = inquiry;
    const needsUtf8 = needsSmtpUtf8(inquiry.recipient) || needsSmtpUtf8(asker.mailFrom);
    if (needsUtf8 && !extensions.names.has('SMTPUTF8'))
      return { kind: extensions.areAll ? 'no-smtputf8' : 'smtputf8-unknown' };
    // First, because it throws if the address does not fit into a command. Then no transaction begins.
    const rcpt = { stage, command: rcptTo(inquiry.recipient), shown: 'RCPT TO' } as const;
    const mayGoOn = await reset(signal);
    if (isUnwelcome) return { kind: 'closed', slowDown: true };
    if (!mayGoOn) return { kind: signal.aborted ? 'silent' : 'closed' };
    const mail = { stage: 'mail', command: mailFrom(asker.mailFrom, needsUtf8), shown: 'MAIL FROM' } as const;
    const sender = await exchange(line, mail, inquiry, signal);
    if (sender.kind !== 'read') return sender;
    const { code } = sender.reply;
    if (code === CLOSING) isClosing = true;
    if (code >= 300) return { kind: 'sender-refused', code, slowDown: sender.reading.slowDown };
    isInTransaction = true;
    recipients += 1;
    const answer = await exchange(line, rcpt, inquiry, signal);
    if (answer.kind === 'closed' && organisationOf(line.mailHost).refusesByClosing)
      return { kind: 'closed', slowDown: true };
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
    get isUnwelcome() {
      return isUnwelcome;
    },
    async ask(stage, inquiry, signal) {
      const asked = await ask(stage, inquiry, signal);
      if (asked.kind === 'closed') isClosing = true;
      return asked;
    },
    reset: () => within(FAREWELL_MS, undefined, reset),
    async end() {
      const answer = await endPolitely(line, latest, async (signal) => {
        await reset(signal);
        takeUnasked();
      });
      if (answer?.reading.slowDown) isUnwelcome = true;
      takeUnasked();
    },
  };
}

/**
 * RFC 5321, section 4.1.1.10: a client sends QUIT before it closes. It waits for the reply to an earlier command first,
 * because commands are not pipelined.
 *
 * @param endTransaction sends RSET if there is a transaction
 * @returns the reply to QUIT
 */
export async function endPolitely(
  line: Line,
  inquiry: Inquiry,
  endTransaction: (signal: Signal) => Promise<unknown> = async () => {},
): Promise<Farewell | undefined> {
  const { channel } = line;
  const canSpeak = () => channel.isUsable && !channel.isAwaiting;
  try {
    return await within(FAREWELL_MS, undefined, async (signal) => {
      if (channel.isUsable && channel.isAwaiting)
        await within(LATE_REPLY_MS, signal, (late) => channel.read(late));
      if (canSpeak()) await endTransaction(signal);
      return canSpeak() ? await sayFarewell(line, QUIT, 'quit', inquiry, signal) : undefined;
    });
  } finally {
    await channel.close();
  }
}
