/** Opens a conversation: connects and completes the greeting. */

import type { EngineOptions } from '../options.ts';
import { within } from '../signal.ts';
import { openChannel } from './channel.ts';
import { connect } from './connect.ts';
import { type Conversation, createConversation, endPolitely } from './conversation.ts';
import type { Asker, Inquiry } from './exchange.ts';
import { type Greeted, greet } from './greeting.ts';
import type { MailQuestion } from './observation.ts';
import type { Source } from './sources.ts';
import { type Countdown, countdown } from './time.ts';

/** What conversations need to begin, the same for all. */
export interface Access extends Pick<EngineOptions, 'smtpPort'> {
  readonly asker: Asker;
  readonly mayContact: (ip: string) => boolean;
}

export interface Way {
  readonly question: MailQuestion;
  readonly ip: string;
  readonly source: Source;
  /** The host's remaining time until its greeting must be done. */
  readonly time: Countdown;
  /** Whether this is the last IP address of the host to try. */
  readonly isLast: boolean;
  /** Whether it must be a new conversation. */
  readonly isNew: boolean;
  /** Whether to use TLS. False after it has failed at this IP address. */
  readonly tls: boolean;
}

export type Opened =
  | { readonly kind: 'ready'; readonly conversation: Conversation }
  | {
      readonly kind: 'failed';
      readonly greeted: Exclude<Greeted, { kind: 'ready' }>;
      /** Resolves when the connection is closed, with whether the server has asked for fewer conversations at QUIT. */
      readonly closed: Promise<boolean>;
    };

export const nameServer = ({ host }: MailQuestion, ip: string): string => `${host.name} [${ip}]`;

export async function openConversation(
  { smtpPort: port, mayContact, asker }: Access,
  { question, ip, source, tls, isLast, time: hostsTime }: Way,
  inquiry: Inquiry,
): Promise<Opened> {
  const { recorder } = inquiry;
  const { signal } = question;
  const server = nameServer(question, ip);
  const time = countdown(isLast ? hostsTime.left() : hostsTime.left() / 2);
  const since = recorder.now();
  const connected = await within(time.left(), signal, (inTime) =>
    connect({ ip, port, mayContact }, source, inTime),
  );
  const from = describe(source);
  if (connected.kind === 'failed') {
    recorder.note({ stage: 'connect', server, text: `not connected${from}: ${connected.why}` }, since);
    return { kind: 'failed', greeted: { kind: 'unreachable' }, closed: Promise.resolve(false) };
  }
  const line = { channel: openChannel(connected.socket), asker, mailHost: question.host.name, server };
  recorder.note({ stage: 'connect', server, text: `connected${from}` }, since);
  const greeted = await greet({ line, inquiry, tls, time, signal }).catch(async (error: unknown) => {
    await line.channel.close();
    throw error;
  });
  if (greeted.kind === 'ready')
    return { kind: 'ready', conversation: createConversation(line, greeted.extensions, inquiry) };
  const closed = endPolitely(line, inquiry).then((answer) => answer?.reading.slowDown ?? false);
  return { kind: 'failed', greeted, closed };
}

function describe(source: Source): string {
  if (source.kind === 'proxy') return ` through the proxy ${source.proxy.name}`;
  return source.localAddress === undefined ? '' : ` from ${source.localAddress}`;
}
