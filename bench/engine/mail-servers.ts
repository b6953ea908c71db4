/**
 * Mail servers that accept every address but an impossible one, in a separate process. They reply at once, or after a delay. Each listens on its
 * own loopback IP address, and all share a port.
 *
 *   node mail-servers.mjs 8 100     8 servers that answer after 100 ms (by default at once); prints "mail 127.0.3.1:PORT", and where to fetch the counts
 *   node mail-servers.mjs 8 100 3   the last 3 of them accept connections and say nothing
 */
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { ipOf } from './places.ts';

/** Counts of what clients have done so far. */
export interface MailCounts {
  conversations: number;
  recipients: number;
  /** The replies that took the delay. */
  replies: number;
  /** The most conversations at the same time. */
  parallel: number;
  /** How long the ended conversations took, in all. */
  openMs: number;
}

const REPLIES: Readonly<Record<string, string>> = {
  EHLO: '250-mx.test\r\n250-PIPELINING\r\n250 8BITMIME\r\n',
  MAIL: '250 2.1.0 OK\r\n',
  RCPT: '250 2.1.5 OK\r\n',
  RSET: '250 2.0.0 OK\r\n',
  QUIT: '221 2.0.0 Bye\r\n',
};

/** What the engine asks about to find out whether a domain accepts every address (`src/engine/smtp/impossible.ts`). */
const IMPOSSIBLE = /^RCPT TO:<[a-z]+\.[a-z]+\d\d@/;
const REFUSED = '550 5.1.1 User unknown\r\n';

const delayMs = Number(process.argv[3] ?? 0);

const NOTHING: MailCounts = { conversations: 0, recipients: 0, replies: 0, parallel: 0, openMs: 0 };
const counts: MailCounts = { ...NOTHING };
let open = 0;

function serve(socket: Socket): void {
  counts.conversations += 1;
  open += 1;
  counts.parallel = Math.max(counts.parallel, open);
  const began = performance.now();
  let received = '';
  const say = (text: string) => {
    counts.replies += 1;
    if (delayMs === 0) socket.write(text);
    else setTimeout(() => socket.writable && socket.write(text), delayMs);
  };
  socket.setNoDelay(true);
  socket.on('error', () => {});
  socket.on('close', () => {
    open -= 1;
    counts.openMs += performance.now() - began;
  });
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1');
    for (let end = received.indexOf('\r\n'); end >= 0; end = received.indexOf('\r\n')) {
      const verb = received.slice(0, 4);
      const isImpossible = IMPOSSIBLE.test(received.slice(0, end));
      received = received.slice(end + 2);
      if (verb === 'RCPT') counts.recipients += 1;
      if (verb === 'QUIT') socket.end(REPLIES.QUIT ?? '');
      else say(isImpossible ? REFUSED : (REPLIES[verb] ?? '502 5.5.2 Command not recognised\r\n'));
    }
  });
  say('220 mx.test ESMTP\r\n');
}

function keepSilent(socket: Socket): void {
  socket.resume();
  socket.on('error', () => {});
}

const servers = Number(process.argv[2]);
const silent = Number(process.argv[4] ?? 0);
let port = 0;
for (let number = 0; number < servers; number += 1) {
  const server = createServer(number < servers - silent ? serve : keepSilent).listen(
    port,
    ipOf(number),
    1024,
  );
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
}
const control = createHttpServer((_request, response) => {
  response.end(JSON.stringify(counts));
  Object.assign(counts, NOTHING);
}).listen(0, '127.0.0.1');
await once(control, 'listening');
process.stdout.write(`mail ${port}\n`);
process.stdout.write(`listening on http://127.0.0.1:${(control.address() as AddressInfo).port}\n`);
