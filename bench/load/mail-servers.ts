/**
 * The mail servers of the load, in a separate process. Each listens on its own loopback IP address, and all share a port.
 *
 *   node mail-servers.mjs        prints "mail PORT", and where it takes commands:
 *   POST /?divide=30             replies come in a thirtieth of their time
 *   POST /?hang=true             from now on, servers do not reply
 */
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { ipOf, type Kind, ORGANISATIONS, replyMs } from './organisations.ts';

const REPLIES: Readonly<Record<string, string>> = {
  EHLO: '250-mx.test\r\n250-PIPELINING\r\n250 8BITMIME\r\n',
  MAIL: '250 2.1.0 OK\r\n',
  RSET: '250 2.0.0 OK\r\n',
};
const ACCEPTED = '250 2.1.5 OK\r\n';
/** The impossible address, by which the engine finds out whether a domain accepts every one. */
const IMPOSSIBLE = /^RCPT TO:<[a-z]+\.[a-z]+\d\d@/;
const REFUSED = '550 5.1.1 User unknown\r\n';
const GREYLISTED = '451 4.7.1 Greylisted, try again later\r\n';

let divide = 1;
let hangs = false;
/** Recipients that were greylisted once. */
const seen = new Set<string>();

function replyTo(command: string, { greylists }: Kind): string {
  const verb = command.slice(0, 4).toUpperCase();
  if (verb !== 'RCPT') return REPLIES[verb] ?? '502 5.5.2 Command not recognised\r\n';
  if (IMPOSSIBLE.test(command)) return REFUSED;
  if (greylists === 0 || seen.has(command)) return ACCEPTED;
  if (Math.random() >= greylists) return ACCEPTED;
  seen.add(command);
  return GREYLISTED;
}

function serve(socket: Socket, kind: Kind): void {
  let received = '';
  const say = (text: string) =>
    setTimeout(() => !hangs && socket.writable && socket.write(text), replyMs(kind, Math.random) / divide);
  socket.setNoDelay(true);
  // A client that is killed resets its connections.
  socket.on('error', () => {});
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1');
    for (let end = received.indexOf('\r\n'); end >= 0; end = received.indexOf('\r\n')) {
      const command = received.slice(0, end);
      received = received.slice(end + 2);
      if (command.startsWith('QUIT')) socket.end('221 2.0.0 Bye\r\n');
      else say(replyTo(command, kind));
    }
  });
  say('220 mx.test ESMTP\r\n');
}

let port = 0;
for (const [number, kind] of ORGANISATIONS.entries()) {
  const server = createServer((socket) => serve(socket, kind)).listen(port, ipOf(number), 1024);
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
}
const control = createHttpServer((request, response) => {
  const { searchParams } = new URL(request.url!, 'http://localhost');
  divide = Number(searchParams.get('divide') ?? divide);
  hangs = searchParams.has('hang') ? searchParams.get('hang') === 'true' : hangs;
  response.end();
}).listen(0, '127.0.0.1');
await once(control, 'listening');
process.stdout.write(`mail ${port}\n`);
process.stdout.write(`listening on http://127.0.0.1:${(control.address() as AddressInfo).port}\n`);
