/** The start of a conversation: the banner, EHLO or HELO, and STARTTLS if the server offers it. */

import { type Signal, within } from '../signal.ts';
import { ehlo, helo, STARTTLS } from './commands.ts';
import { exchange, type Inquiry, type Line, type SmtpReply } from './exchange.ts';
import type { Countdown } from './time.ts';

/** The extensions that a server has named. */
export interface Extensions {
  readonly names: ReadonlySet<string>;
  /** Whether it has no others. It may have some if it refused EHLO, or after TLS that failed. */
  readonly areAll: boolean;
}

export type Greeted =
  | { readonly kind: 'ready'; readonly extensions: Extensions }
  /** No banner, or none in time. */
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'not-welcome'; readonly slowDown: boolean }
  | { readonly kind: 'mute' }
  | { readonly kind: 'not-smtp' }
  /** Try again in a new connection without TLS. */
  | { readonly kind: 'tls-failed' };

export interface Greeting {
  readonly line: Line;
  readonly inquiry: Inquiry;
  /** Whether to start TLS if the server offers it. */
  readonly tls: boolean;
  readonly time: Countdown;
  readonly signal: Signal;
}

export async function greet(greeting: Greeting): Promise<Greeted> {
  const { line, inquiry, time, signal } = greeting;
  return within(time.left(), signal, async (inTime) => {
    // Waits for the whole banner. Servers treat clients that speak after its first line as spammers (postscreen(8)).
    const banner = await exchange(line, { stage: 'banner' }, inquiry, inTime);
    if (banner.kind === 'silent') return { kind: 'unreachable' };
    const refusal = refusalIn(banner);
    if (refusal) return refusal;
    const hello = await sayHello(line, inquiry, inTime);
    if (hello.kind !== 'ready' || !hello.extensions.names.has('STARTTLS')) return hello;
    if (!greeting.tls) return { kind: 'ready', extensions: { ...hello.extensions, areAll: false } };
    // Leaves half of the time for an attempt without TLS.
    const secured = await within(time.left() / 2, inTime, (half) => startTls(line, inquiry, half));
    return secured.kind === 'tls-failed' && inTime.aborted ? { kind: 'mute' } : secured;
  });
}

/** Replies of a server that does not have the command (RFC 5321, section 4.2.4). */
const UNKNOWN_COMMAND: readonly number[] = [500, 502];

async function sayHello(line: Line, inquiry: Inquiry, signal: Signal): Promise<Greeted> {
  const say = (shown: 'EHLO' | 'HELO') => {
    const command = (shown === 'EHLO' ? ehlo : helo)(line.asker.helo);
    return exchange(line, { stage: 'ehlo', command, shown }, inquiry, signal);
  };
  const answer = await say('EHLO');
  if (answer.kind === 'read' && answer.reply.code >= 500) {
    // RFC 5321, section 3.2: a server without EHLO may know HELO. It then has no extensions.
    const refusal = refusalIn(await say('HELO'));
    const areAll = UNKNOWN_COMMAND.includes(answer.reply.code);
    if (!refusal) return { kind: 'ready', extensions: { names: new Set(), areAll } };
    if (refusal.kind !== 'not-welcome') return refusal;
    return { kind: 'not-welcome', slowDown: refusal.slowDown || answer.reading.slowDown };
  }
  const refusal = refusalIn(answer);
  if (refusal || answer.kind !== 'read') return refusal ?? { kind: 'mute' };
  // The first line is the server's name. Each other line is a keyword with parameters (RFC 5321, section 4.1.1.1).
  const keywords = answer.reply.lines.slice(1).map((text) => text.trim().split(/[\s=]/)[0]!.toUpperCase());
  return { kind: 'ready', extensions: { names: new Set(keywords), areAll: true } };
}

/** RFC 3207. After the TLS handshake, EHLO is sent again, because earlier replies no longer count (section 4.2). */
async function startTls(line: Line, inquiry: Inquiry, signal: Signal): Promise<Greeted> {
  const failed = { kind: 'tls-failed' } as const;
  const question = { stage: 'starttls', command: STARTTLS, shown: 'STARTTLS' } as const;
  const answer = await exchange(line, question, inquiry, signal);
  if (answer.kind !== 'read') return failed;
  if (answer.reading.slowDown) return { kind: 'not-welcome', slowDown: true };
  if (answer.reply.code !== 220) return failed;
  const since = inquiry.recorder.now();
  const isSecure = await line.channel.startTls(line.mailHost, signal);
  const text = isSecure ? 'TLS handshake done' : 'TLS handshake failed';
  inquiry.recorder.note({ stage: 'starttls', server: line.server, text }, since);
  if (!isSecure) return failed;
  const hello = await sayHello(line, inquiry, signal);
  return hello.kind === 'ready' || (hello.kind === 'not-welcome' && hello.slowDown) ? hello : failed;
}

/** The refusal in a reply, or `undefined` if the conversation can go on. */
function refusalIn(answer: SmtpReply): Exclude<Greeted, { kind: 'ready' | 'tls-failed' }> | undefined {
  switch (answer.kind) {
    case 'read':
      return answer.reply.code < 300 ? undefined : { kind: 'not-welcome', slowDown: answer.reading.slowDown };
    case 'closed':
    case 'flood':
      return { kind: 'not-welcome', slowDown: false };
    case 'silent':
      return { kind: 'mute' };
    case 'not-smtp':
      return { kind: 'not-smtp' };
  }
}
