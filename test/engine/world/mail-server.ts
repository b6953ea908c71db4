/** A mail server on loopback that tests script. It can do whatever a hostile one does, and logs what it was sent. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import { certificate } from '../../../src/service/demo/certificate.ts';
import type { LoggedCommand, MailScript } from './mail-script.ts';
import { serve } from './mail-session.ts';

export * from './acts.ts';
export type { LoggedCommand, MailScript, RecipientContext } from './mail-script.ts';

export interface MailServer {
  readonly ip: string;
  readonly port: number;
  /** Every line that clients have sent. */
  readonly log: readonly LoggedCommand[];
  /** The lines of one connection. */
  lines(connection?: number): readonly string[];
  /** How many connections there were. */
  readonly connections: number;
  /** How many are open now. */
  readonly open: number;
  /** The most that were open at the same time. */
  readonly maxParallel: number;
  /** The IP addresses that clients came from, one for each connection. */
  readonly clients: readonly string[];
  /** The server names that clients gave for TLS (SNI). */
  readonly names: readonly (string | undefined)[];
  /** How many bytes of replies the clients' side has taken so far. */
  bytesTaken(): number;
  /** Resolves when no connection is open. */
  whenEmpty(): Promise<void>;
  /** Resolves when so many lines that match have come, also if they had come before. */
  whenSent(pattern: RegExp, times?: number): Promise<void>;
  /** Behaves differently from now on. */
  set(script: MailScript): void;
  close(): Promise<void>;
}

export interface Place {
  /** A loopback IP address. Servers on different ones can share a port. @default 127.0.0.1 */
  readonly ip?: string;
  /** @default any that is free */
  readonly port?: number;
}

/** OpenSSL refuses it unless it is told to be lenient. */
const OLD_TLS = { minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;

export async function startMailServer(script: MailScript = {}, place: Place = {}): Promise<MailServer> {
  const pems = certificate();
  const names: (string | undefined)[] = [];
  const log: LoggedCommand[] = [];
  const open = new Set<Socket>();
  const clients: string[] = [];
  const greylisted = new Set<string>();
  const watchers = new Set<() => void>();
  const changed = () => {
    for (const watch of watchers) watch();
  };
  const when = (isTrue: () => boolean) =>
    new Promise<void>((resolve) => {
      const watch = () => {
        if (!isTrue()) return;
        watchers.delete(watch);
        resolve();
      };
      watchers.add(watch);
      watch();
    });
  let current = script;
  let maxParallel = 0;
  let bytesTaken = 0;

  // Without a delay: the system would hold back small pieces, while a stopped clock is moved on.
  const server = createServer({ noDelay: true }, (socket) => {
    open.add(socket);
    clients.push(socket.remoteAddress ?? '');
    // A turn later, because the end of another connection may have come before this one, and be read after it.
    setImmediate(() => {
      const parallel = [...open].filter(({ destroyed, readableEnded }) => !destroyed && !readableEnded);
      maxParallel = Math.max(maxParallel, parallel.length);
    });
    socket.on('close', () => {
      open.delete(socket);
      bytesTaken += socket.bytesWritten;
      changed();
    });
    const number = clients.length;
    void serve(socket, {
      number,
      secureContext: (isOld) => createSecureContext({ ...pems, ...(isOld ? OLD_TLS : {}) }),
      sawName: (name) => names.push(name),
      script: () => current,
      openConnections: () => open.size,
      isKnown(triplet) {
        const isKnown = greylisted.has(triplet);
        greylisted.add(triplet);
        return isKnown;
      },
      log(line, early, tls) {
        log.push({ connection: number, line, early, tls });
        changed();
      },
    });
  });
  server.listen(place.port ?? 0, place.ip ?? '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo;

  return {
    ip: address.address,
    port: address.port,
    log,
    lines: (connection) =>
      log
        .filter((entry) => connection === undefined || entry.connection === connection)
        .map(({ line }) => line),
    get connections() {
      return clients.length;
    },
    get open() {
      return open.size;
    },
    get maxParallel() {
      return maxParallel;
    },
    clients,
    names,
    bytesTaken: () => bytesTaken,
    whenEmpty: () => when(() => open.size === 0),
    whenSent: (pattern, times = 1) =>
      when(() => log.filter(({ line }) => pattern.test(line)).length >= times),
    set(next) {
      current = next;
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
