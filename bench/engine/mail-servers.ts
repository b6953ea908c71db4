/**
 * Mail servers that accept every address, in a separate process. They reply at once, or after a delay. Each listens on its
 * own loopback IP address, and all share a port.
 *
 *   node mail-servers.mjs 8 100   8 servers that answer after 100 ms (by default at once); prints "mail 127.0.3.1:PORT", and where to fetch the counts
 */
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { ipOf } from './places.ts';

/** Counts of what clients have done so far. */
export interface MailCounts {
  conversations: number;
  recipients: number;
  /** The most conversations at the same time. */
  parallel: number;
}

const REPLIES: Readonly<Record<string, string>> = {
  EHLO: '250-mx.test\r\n250-PIPELINING\r\n250 8BITMIME\r\n',
  MAIL: '250 2.1.0 OK\r\n',
  RCPT: '250 2.1.5 OK\r\n',
  RSET: '250 2.0.0 OK\r\n',
  QUIT: '221 2.0.0 Bye\r\n',
};

const delayMs = Number(process.argv[3] ?? 0);

const counts: MailCounts = { conversations: 0, recipients: 0, parallel: 0 };
let open = 0;

function serve(socket: Socket): void {
  counts.conversations += 1;
  open += 1;
  counts.parallel = Math.max(counts.parallel, open);
  let received = '';
  const say = (text: string) => {
    if (delayMs === 0) socket.write(text);
    else setTimeout(() => socket.writable && socket.write(text), delayMs);
  };
  socket.setNoDelay(true);
  socket.on('error', () => {});
  socket.on('close', () => {
    open -= 1;
  });
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1');
    for (let end = received.indexOf('\r\n'); end >= 0; end = received.indexOf('\r\n')) {
      const verb = received.slice(0, 4);
      received = received.slice(end + 2);
      if (verb === 'RCPT') counts.recipients += 1;
      if (verb === 'QUIT') socket.end(REPLIES.QUIT ?? '');
      else say(REPLIES[verb] ?? '502 5.5.2 Command not recognised\r\n');
    }
  });
  say('220 mx.test ESMTP\r\n');
}

let port = 0;
for (let number = 0; number < Number(process.argv[2]); number += 1) {
  const server = createServer(serve).listen(port, ipOf(number), 1024);
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
}
const control = createHttpServer((_request, response) => {
  response.end(JSON.stringify(counts));
  Object.assign(counts, { conversations: 0, recipients: 0, parallel: 0 });
}).listen(0, '127.0.0.1');
await once(control, 'listening');
process.stdout.write(`mail ${port}\n`);
process.stdout.write(`listening on http://127.0.0.1:${(control.address() as AddressInfo).port}\n`);
