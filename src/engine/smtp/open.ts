/** Opens a conversation: connects and completes the greeting. */
import { openChannel } from './channel.ts';
import { connect } from './connect.ts';
import { type Conversation, createConversation, endPolitely } from './conversation.ts';
import type { Asker, Inquiry } from './exchange.ts';
import { type Greeted, greet } from './greeting.ts';
import type { Source } from './sources.ts';
import { type Countdown, within } from './time.ts';

export interface Start {
  readonly ip: string;
  readonly port: number;
  readonly mailHost: string;
  readonly source: Source;
  readonly mayContact: (ip: string) => boolean;
  readonly asker: Asker;
  readonly inquiry: Inquiry;
  readonly tls: boolean;
  /** The time until the greeting must be done. */
  readonly time: Countdown;
  readonly signal: AbortSignal;
}

export type Opened =
  | { readonly kind: 'ready'; readonly conversation: Conversation }
  | {
      readonly kind: 'failed';
      readonly greeted: Exclude<Greeted, { kind: 'ready' }>;
      /** Resolves when the connection is closed, with whether the server has asked for fewer conversations at QUIT. */
      readonly closed: Promise<boolean>;
    };

export async function openConversation(start: Start): Promise<Opened> {
  const { ip, port, mailHost, source, mayContact, asker, inquiry, tls, time, signal } = start;
  const { recorder } = inquiry;
  const server = `${mailHost} [${ip}]`;
  const since = recorder.now();
  const connected = await within(time.left(), signal, (inTime) =>
    connect({ ip, port, mayContact }, source, inTime),
  );
  const way = describe(source);
  if (connected.kind === 'failed') {
    recorder.note({ stage: 'connect', server, text: `not connected${way}: ${connected.why}` }, since);
    return { kind: 'failed', greeted: { kind: 'unreachable' }, closed: Promise.resolve(false) };
  }
  const line = { channel: openChannel(connected.socket), asker, mailHost, server };
  recorder.note({ stage: 'connect', server, text: `connected${way}` }, since);
  const greeted = await greet({ line, inquiry, tls, time, signal }).catch(async (error: unknown) => {
    await line.channel.close();
    throw error;
  });
  if (greeted.kind === 'ready') {
    return { kind: 'ready', conversation: createConversation(line, greeted.extensions, inquiry) };
  }
  const closed = endPolitely(line, inquiry).then((answer) => answer?.reading.slowDown ?? false);
  return { kind: 'failed', greeted, closed };
}

function describe(source: Source): string {
  if (source.kind === 'proxy') return ` through the proxy ${source.proxy.name}`;
  return source.localAddress === undefined ? '' : ` from ${source.localAddress}`;
}
