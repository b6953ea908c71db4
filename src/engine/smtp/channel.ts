/** Sends commands to a mail server and reads its replies, with or without TLS. */
import { isIP, type Socket } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import type { Signal } from '../signal.ts';
import type { Command } from './commands.ts';
import { type Arrival, createReplyStream } from './reply-stream.ts';

export type Heard =
  | Arrival
  /** The server has closed the connection. */
  | { readonly kind: 'closed' }
  /** The signal was aborted first. */
  | { readonly kind: 'silent' };

export interface Channel {
  /** Reads the next reply, or the reason why there is none. */
  read(signal: Signal): Promise<Heard>;
  /** Takes a reply that the server has sent without a command. */
  unasked(): Heard | undefined;
  send(command: Command): void;
  /**
   * Starts TLS, after the server has agreed to it. Any certificate is accepted, because any encryption is better than none
   * (RFC 7435). After a failure, the channel is unusable.
   *
   * @param name name of the server, for SNI. IP addresses are not sent (RFC 6066, section 3)
   */
  startTls(name: string, signal: Signal): Promise<boolean>;
  /** Whether the reply to a command, or the greeting, is missing. */
  readonly isAwaiting: boolean;
  /** Whether commands can still be sent: the server has not closed, sent too much, or used another protocol. */
  readonly isUsable: boolean;
  /** Closes the connection in an orderly way. Resolves when it is closed, in a short, bounded time. */
  close(): Promise<void>;
}

/** So many unread replies are a flood. */
const MAX_UNREAD = 32;
/** The server's time to close its side, after this side is closed. */
const CLOSING_MS = 200;
/** Names come from the DNS, which allows any byte. */
const HOST_NAME = /^[\w.-]{1,253}$/;
/** Accepts old protocols, because old servers have only those. No encryption would be worse. */
const TLS_OPTIONS = {
  rejectUnauthorized: false,
  minVersion: 'TLSv1',
  ciphers: 'DEFAULT@SECLEVEL=0',
} as const;

export function openChannel(connection: Socket): Channel {
  let socket = connection;
  let stream = createReplyStream();
  let unread: Arrival[] = [];
  let isAwaiting = true;
  let isBroken = false;
  let hasEnded = false;
  let wake = () => {};

  const onData = (bytes: Buffer) => {
    unread.push(...stream.push(bytes));
    if (unread.length > MAX_UNREAD) unread = [{ kind: 'flood' }];
    if (unread.at(-1)?.kind === 'flood') {
      isBroken = true;
      // At once, so that the machine receives no more.
      socket.off('data', onData);
      connection.destroy();
    }
    wake();
  };
  const onEnd = () => {
    hasEnded = true;
    wake();
  };
  const listen = () => socket.on('data', onData).on('end', onEnd).on('close', onEnd);
  const closed = new Promise<void>((resolve) => {
    if (connection.closed) resolve();
    connection.once('close', () => resolve());
  });
  connection.on('error', () => {}).on('close', onEnd);
  listen();

  const next = (): Heard | undefined => {
    const arrival = unread.shift();
    if (!arrival) return hasEnded ? { kind: 'closed' } : undefined;
    if (arrival.kind !== 'reply') isBroken = true;
    return arrival;
  };

  return {
    async read(signal) {
      for (;;) {
        const heard = next();
        if (heard) {
          isAwaiting = false;
          return heard;
        }
        if (signal.aborted) return { kind: 'silent' };
        await new Promise<void>((resolve) => {
          const go = () => {
            signal.removeEventListener('abort', go);
            wake = () => {};
            resolve();
          };
          wake = go;
          signal.addEventListener('abort', go);
        });
      }
    },
    unasked: next,
    send(command) {
      isAwaiting = true;
      socket.write(`${command}\r\n`);
    },
    startTls(name, signal) {
      socket.off('data', onData).off('end', onEnd);
      // Drops replies from before the handshake. Attackers may have injected them (CVE-2011-0411).
      unread = [];
      stream = createReplyStream();
      const servername = isIP(name) === 0 && HOST_NAME.test(name) ? name : '';
      const secure = tlsConnect({ ...TLS_OPTIONS, socket, servername });
      socket = secure;
      return new Promise((resolve) => {
        const settle = (isSecure: boolean) => {
          signal.removeEventListener('abort', fail);
          secure
            .off('secureConnect', succeed)
            .off('error', fail)
            .off('close', fail)
            .on('error', () => {});
          if (isSecure) listen();
          else {
            isBroken = true;
            secure.destroy();
            connection.destroy();
          }
          resolve(isSecure);
        };
        const succeed = () => settle(true);
        const fail = () => settle(false);
        signal.addEventListener('abort', fail);
        secure.once('secureConnect', succeed).once('error', fail).once('close', fail);
        if (signal.aborted) fail();
      });
    },
    get isAwaiting() {
      return isAwaiting;
    },
    get isUsable() {
      return !isBroken && !hasEnded && socket.writable;
    },
    async close() {
      socket.end();
      const timer = setTimeout(() => {
        socket.destroy();
        connection.destroy();
      }, CLOSING_MS);
      await closed;
      clearTimeout(timer);
      socket.destroy();
    },
  };
}
