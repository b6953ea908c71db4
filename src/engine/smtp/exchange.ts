/** One command and its reply, as evidence and as a reading. */
import type { Recorder } from '../recorder.ts';
import type { Reading, Reply, ReplyContext, ReplyStage } from '../replies/reply.ts';
import type { EvidenceStage } from '../verifier.ts';
import type { Channel, Heard } from './channel.ts';
import type { Command } from './commands.ts';

/** Who asks, and how replies are read. The same for all conversations. */
export interface Asker {
  readonly helo: string;
  readonly mailFrom: string;
  readonly readReply: (reply: Reply, context: ReplyContext) => Reading;
  /** Takes addresses out of a text for the evidence. */
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

/** For whom something is asked. */
export interface Inquiry {
  readonly recipient: string;
  readonly recorder: Recorder;
}

export type Answer =
  | { readonly kind: 'read'; readonly reply: Reply; readonly reading: Reading }
  | { readonly kind: 'not-smtp' | 'flood' | 'closed' | 'silent' };

export interface Question {
  readonly stage: ReplyStage;
  /** None at the banner: the server speaks first. */
  readonly command?: Command;
  /** The command as the evidence shows it: without an address. */
  readonly shown?: string;
}

/** The service closes the connection, whatever it was asked (RFC 5321, section 3.8). */
export const CLOSING = 421;
/** Longer replies are cut in the evidence. */
const MAX_SHOWN = 500;
/** Before addresses are taken out, so that the cut goes through none that is shown. */
const MAX_READ_FOR_TRACE = 4000;

/**
 * Sends the command and waits for its reply. Only one command is on its way at any time: proxies and postscreen take
 * more for spam.
 */
export async function exchange(
  line: Line,
  question: Question,
  inquiry: Inquiry,
  signal: AbortSignal,
): Promise<Answer> {
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
    // Only a banner tells that a server speaks no SMTP. Nonsense after that is a fault of the server or of the network.
    const isFault = heard.kind === 'not-smtp' && question.stage !== 'banner';
    return { kind: isFault ? 'closed' : heard.kind };
  }
  const { reply } = heard;
  const quoted = quote(reply, asker);
  if (isOutOfStep || isReplyToAnother(reply.code, question.stage)) {
    // What follows would be taken for replies to other commands than it replies to.
    note(quoted, reply.code, 'out of step');
    return { kind: 'closed' };
  }
  const reading = asker.readReply(reply, {
    stage: question.stage,
    recipient: inquiry.recipient,
    sender: asker.mailFrom,
    helo: asker.helo,
    mailHost: line.mailHost,
  });
  note(quoted, reply.code, reading.rule);
  return { kind: 'read', reply, reading };
}

/** A command whose reply decides nothing: RSET and QUIT. */
export async function sayFarewell(
  line: Line,
  command: Command,
  stage: EvidenceStage,
  recorder: Recorder,
  signal: AbortSignal,
): Promise<Reply | undefined> {
  const since = recorder.now();
  // What nobody has asked for would be taken for the reply, and the next command would come too early.
  while (line.channel.unasked()?.kind === 'reply');
  line.channel.send(command);
  const heard = await line.channel.read(signal);
  const reply = heard.kind === 'reply' ? heard.reply : undefined;
  recorder.note(
    {
      stage,
      server: line.server,
      ...(reply ? { code: reply.code } : {}),
      text: `${command}: ${reply ? quote(reply, line.asker) : describe(heard, line.asker)}`,
    },
    since,
  );
  return reply;
}

/** 220, 221 and 3xx belong to the banner, QUIT and DATA. As a reply to anything else they accept nothing. */
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
