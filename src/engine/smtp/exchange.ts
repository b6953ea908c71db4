/** Sends one command, reads its reply, and records both as evidence. */
import type { Recorder } from '../recorder.ts';
import type { Reading, Reply, ReplyContext, ReplyStage } from '../replies/reply.ts';
import type { Signal } from '../signal.ts';
import type { Channel, Heard } from './channel.ts';
import type { Command } from './commands.ts';

/** Our names, and the functions that read replies. The same for all conversations. */
export interface Asker {
  readonly helo: string;
  readonly mailFrom: string;
  readonly readReply: (reply: Reply, context: ReplyContext) => Reading;
  /** Removes addresses from a text for the evidence. */
  readonly forTrace: (text: string) => string;
}

/** A connection to one IP address of a mail host. */
export interface Line {
  readonly channel: Channel;
  readonly asker: Asker;
  readonly mailHost: string;
  /** `name [ip]`, for the evidence. */
  readonly server: string;
}

/** The address of a question, and the recorder of its evidence. */
export interface Inquiry {
  readonly recipient: string;
  readonly recorder: Recorder;
}

export type SmtpReply =
  | { readonly kind: 'read'; readonly reply: Reply; readonly reading: Reading }
  | { readonly kind: 'not-smtp' | 'flood' | 'closed' | 'silent' };

export interface Question {
  readonly stage: ReplyStage;
  /** The command. There is none before the banner, which the server sends first. */
  readonly command?: Command;
  /** The command as the evidence shows it, without an address. */
  readonly shown?: string;
}

/** The server closes the connection. It may send this after any command (RFC 5321, section 3.8). */
export const CLOSING = 421;
/** The evidence cuts longer replies. */
const MAX_SHOWN = 500;
/** The first cut, before addresses are removed. It is far beyond the shown text, so that no shown address is cut. */
const MAX_READ_FOR_TRACE = 4000;

/**
 * Sends the command and waits for its reply. Only one command is open at any time, because proxies and postscreen treat
 * more as spam.
 */
export async function exchange(
  line: Line,
  question: Question,
  inquiry: Inquiry,
  signal: Signal,
): Promise<SmtpReply> {
  const { channel, asker } = line;
  const since = inquiry.recorder.now();
  let heard: Heard | undefined;
  let isOutOfStep = false;
  if (question.command !== undefined) {
    heard = channel.unasked();
    isOutOfStep = heard?.kind === 'reply' && heard.reply.code !== CLOSING;
    if (!heard) channel.send(question.command);
  }
  heard ??= await channel.read(signal);
  const said = question.shown === undefined ? '' : `${question.shown}: `;
  const note = (text: string, code?: number, rule?: string) =>
    inquiry.recorder.note(
      {
        stage: question.stage,
        server: line.server,
        ...(code === undefined ? {} : { code }),
        ...(rule === undefined ? {} : { rule }),
        text: said + text,
      },
      since,
    );
  if (heard.kind !== 'reply') {
    note(describe(heard, asker));
    // Only a banner shows that a server does not speak SMTP. Later nonsense is a fault of the server or the network.
    const isFault = heard.kind === 'not-smtp' && question.stage !== 'banner';
    return { kind: isFault ? 'closed' : heard.kind };
  }
  const { reply } = heard;
  const quoted = quote(reply, asker);
  if (isOutOfStep || isReplyToAnother(reply.code, question.stage)) {
    // All later replies would be assigned to the wrong commands.
    note(quoted, reply.code, 'out of step');
    return { kind: 'closed' };
  }
  const reading = readIn(line, reply, question.stage, inquiry.recipient);
  note(quoted, reply.code, reading.rule);
  return { kind: 'read', reply, reading };
}

/** The reply to RSET or QUIT. */
export interface Farewell {
  readonly reply: Reply;
  readonly reading: Reading;
}

/** Sends RSET or QUIT, whose reply does not affect the result. */
export async function sayFarewell(
  line: Line,
  command: Command,
  stage: 'rset' | 'quit',
  { recipient, recorder }: Inquiry,
  signal: Signal,
): Promise<Farewell | undefined> {
  const since = recorder.now();
  // A reply without a command would look like this command's reply, and the next command would come too early.
  while (line.channel.unasked()?.kind === 'reply');
  line.channel.send(command);
  const heard = await line.channel.read(signal);
  const reply = heard.kind === 'reply' ? heard.reply : undefined;
  const reading = reply && readIn(line, reply, stage, recipient);
  recorder.note(
    {
      stage,
      server: line.server,
      ...(reply ? { code: reply.code } : {}),
      ...(reading?.slowDown ? { rule: reading.rule } : {}),
      text: `${command}: ${reply ? quote(reply, line.asker) : describe(heard, line.asker)}`,
    },
    since,
  );
  return reply && reading && { reply, reading };
}

function readIn({ asker, mailHost }: Line, reply: Reply, stage: ReplyStage, recipient: string): Reading {
  return asker.readReply(reply, { stage, recipient, sender: asker.mailFrom, helo: asker.helo, mailHost });
}

/** 220, 221 and 3xx belong to the banner, QUIT and DATA. They do not accept any other command. */
function isReplyToAnother(code: number, stage: ReplyStage): boolean {
  if (stage === 'banner' || stage === 'starttls') return false;
  return code === 220 || code === 221 || (code >= 300 && code < 400);
}

function describe(heard: Heard, asker: Asker): string {
  if (heard.kind === 'not-smtp') return `not SMTP: ${quote({ code: 0, lines: [heard.text] }, asker)}`;
  if (heard.kind === 'flood') return 'a reply without an end';
  return heard.kind === 'closed' ? 'the server closed the connection' : 'no reply in time';
}

function quote({ lines }: Reply, { forTrace }: Asker): string {
  const shown = forTrace(lines.join(' / ').slice(0, MAX_READ_FOR_TRACE)).trim();
  return `"${shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}…` : shown}"`;
}
