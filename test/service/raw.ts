/** A service on a port, and requests of bytes alone: what no HTTP client would send. */
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { makeStoppable } from '../../src/service/app/stop.ts';
import { createService } from '../../src/service/app/web.ts';
import { type ServiceChanges, withSettings } from './support/deps.ts';
import { KEYS } from './testing.ts';

export interface ListeningService {
  readonly port: number;
  readonly logged: string[];
  readonly server: ReturnType<typeof createService>['server'];
}

/** As `main.ts` starts it: stoppable, on a port of this machine. */
export async function listenService(
  options: ServiceChanges = {},
  atEnd: (stop: () => Promise<void>) => void = onTestFinished,
): Promise<ListeningService> {
  const logged: string[] = [];
  const app = createService({
    keys: KEYS,
    log: (...event) => logged.push(JSON.stringify(event)),
    fetch: () => Promise.reject(new Error('no test expects a request to leave')),
    ...withSettings({ limits: { verifyPerSecond: 1_000_000, uniquePerDay: 1_000_000 }, ...options }),
  });
  const stop = makeStoppable(app);
  atEnd(async () => {
    app.server.closeAllConnections();
    await stop();
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as { port: number };
  return { port, logged, server: app.server };
}

export interface RawAnswer {
  readonly status: number;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The client's side of one connection. */
export interface Conversation {
  readonly socket: Socket;
  /** Comes when the connection is closed, whoever closes it. */
  readonly closed: Promise<RawAnswer[]>;
}

/**
 * Opens a connection and says all of the pieces.
 *
 * @param answers after how many answers the client closes its side; others than that it leaves to the service
 */
export function converse(port: number, pieces: readonly (string | Buffer)[], answers = 1): Conversation {
  // Answers to HEAD have a length and no body.
  const isHead = /^HEAD /.test(pieces.join(''));
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true, noDelay: true });
  let heard = '';
  socket.setEncoding('latin1').on('data', (chunk) => {
    heard += chunk;
    if (readAnswers(heard, isHead).length >= answers) socket.end();
  });
  // A reset is no way to answer: whoever expects an answer will miss it.
  socket.on('error', () => {});
  socket.on('end', () => socket.end());
  for (const piece of pieces) socket.write(piece);
  const closed = new Promise<RawAnswer[]>((resolve) => {
    socket.on('close', () => resolve(readAnswers(heard, isHead)));
  });
  return { socket, closed };
}

/** All answers that are there whole, but for those that announce another (100). */
function readAnswers(text: string, isHead: boolean): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = text;
  for (;;) {
    const [, head, after] = /^(.*?)\r\n\r\n(.*)$/s.exec(rest) ?? [];
    if (head === undefined || after === undefined) return answers;
    const [first = '', ...lines] = head.split('\r\n');
    const headers: Record<string, string> = {};
    for (const line of lines) {
      const [, name = '', value = ''] = /^([^:]*): *(.*)$/.exec(line) ?? [];
      headers[name.toLowerCase()] = value;
    }
    const length = isHead ? 0 : Number(headers['content-length'] ?? 0);
    if (after.length < length) return answers;
    const status = Number(first.split(' ')[1]);
    const body = Buffer.from(after.slice(0, length), 'latin1').toString();
    if (status !== 100) answers.push({ status, headers, body });
    rest = after.slice(length);
  }
}
