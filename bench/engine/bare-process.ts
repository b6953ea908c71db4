/**
 * The minimal client: sockets that connect, wait for the banner, send EHLO, then MAIL, RCPT and RSET for each address, and
 * QUIT. It uses no DNS, reads only the code of replies, and has no pacing.
 *
 *   node bare-process.mjs 2525   port of the mail servers
 */
import { connect } from 'node:net';
import { addressesFrom, CONNECTIONS, ipOf, RECIPIENTS, SERVERS } from './places.ts';
import { serveRuns } from './runs.ts';

const port = Number(process.argv[2]);

/** One conversation for all of the addresses. */
function converse(ip: string, addresses: readonly string[]): Promise<void> {
  const commands = [
    'EHLO bench.test',
    ...addresses.flatMap((address, index) => [
      ...(index > 0 ? ['RSET'] : []),
      'MAIL FROM:<probe@bench.test>',
      `RCPT TO:<${address}>`,
    ]),
    'QUIT',
  ].values();
  return new Promise((done, failed) => {
    const socket = connect(port, ip).setNoDelay(true);
    socket.on('error', failed).on('close', () => done());
    let received = '';
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1');
      if (!/(^|\n)\d{3} .*\r\n$/.test(received)) return;
      if (received.startsWith('5')) failed(new Error(`Expected no refusal, got ${received}.`));
      received = '';
      const { value } = commands.next();
      if (value !== undefined) socket.write(`${value}\r\n`);
    });
  });
}

await serveRuns(async (first, count) => {
  const addresses = addressesFrom(first, count);
  const servers = Array.from({ length: SERVERS }, async (_, number) => {
    const own = addresses.filter((_, index) => index % SERVERS === number);
    // Divides the addresses among the largest allowed number of conversations.
    const size = Math.min(RECIPIENTS, Math.ceil(own.length / CONNECTIONS));
    const left = Array.from({ length: Math.ceil(own.length / size) }, (_, index) =>
      own.slice(index * size, (index + 1) * size),
    ).values();
    const worker = async () => {
      for (const part of left) await converse(ipOf(number), part);
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  });
  await Promise.all(servers);
});
