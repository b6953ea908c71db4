/** The server that other tests rely on does what its script says. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { stopClock } from './clock.ts';
import { type MailScript, type MailServer, startMailServer, wait } from './mail-server.ts';

const open: MailServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function start(script: MailScript) {
  const server = await startMailServer(script);
  open.push(server);
  return server;
}

/** Sends everything at once, and returns what comes until the server closes. */
async function talk({ port, ip }: MailServer, ...lines: readonly string[]): Promise<string[]> {
  const socket = connect(port, ip);
  let received = '';
  socket.on('data', (bytes) => {
    received += bytes;
  });
  socket.write(lines.map((line) => `${line}\r\n`).join(''));
  await once(socket, 'end');
  return received.split('\r\n').filter((line) => line !== '');
}

/** Until the clock, which stands still, is moved. */
const A_WHILE = wait(1_000);

it('logs commands that come too early', async () => {
  const clock = stopClock();
  const server = await start({ banner: [A_WHILE, '220 mx'] });
  const talked = talk(server, 'EHLO a', 'QUIT');
  await server.whenSent(/^QUIT/);
  await clock.advance(1_000);
  await talked;
  expect(server.log.map(({ line, early }) => [line, early])).toEqual([
    ['EHLO a', true],
    ['QUIT', true],
  ]);
});

it('punishes clients that speak before the banner is complete', async () => {
  const clock = stopClock();
  const server = await start({ banner: ['220-wait', A_WHILE, '220 mx'], punishEarlyTalkers: true });
  const talked = talk(server, 'EHLO a', 'QUIT');
  await server.whenSent(/^QUIT/);
  await clock.advance(1_000);
  expect((await talked).at(-1)).toMatch(/^554 5\.5\.1/);
});

it('greylists by client, sender and recipient', async () => {
  const server = await start({ greylist: true });
  const ask = async (recipient: string) => {
    const replies = await talk(server, 'HELO a', 'MAIL FROM:<a@b.example>', `RCPT TO:<${recipient}>`, 'QUIT');
    return replies[3]!.slice(0, 3);
  };
  expect([await ask('x@y.example'), await ask('x@y.example'), await ask('z@y.example')]).toEqual([
    '450',
    '250',
    '450',
  ]);
});

it('greylists only names that exist, if the script says so', async () => {
  const server = await start({ greylist: 'mailboxes', mailboxes: ['ada@b.example'] });
  const ask = async (recipient: string) => {
    const replies = await talk(server, 'HELO a', 'MAIL FROM:<a@b.example>', `RCPT TO:<${recipient}>`, 'QUIT');
    return replies[3]!.slice(0, 3);
  };
  expect([await ask('bo@b.example'), await ask('ada@b.example')]).toEqual(['550', '450']);
  expect(await ask('ada@b.example')).toBe('250');
});

it('tells the truth after DATA, if the script says so', async () => {
  const server = await start({ catchAll: true, data: '554 5.7.1 No such user' });
  const mail = ['HELO a', 'MAIL FROM:<a@b.example>', 'RCPT TO:<bo@b.example>', 'DATA', 'Hello', '.', 'QUIT'];
  const replies = (await talk(server, ...mail)).map((line) => line.slice(0, 3));
  expect(replies).toEqual(['220', '250', '250', '250', '354', '554', '221']);
  const other = await start({});
  expect((await talk(other, 'DATA', 'QUIT'))[1]).toMatch(/^502/);
});

it('requires MAIL before RCPT, one command at a time, and one transaction after the other', async () => {
  const server = await start({});
  const replies = await talk(
    server,
    'RCPT TO:<x@y.example>',
    'MAIL FROM:<>',
    'MAIL FROM:<>',
    'RSET',
    'MAIL FROM: <>',
    'DATA',
    'QUIT',
  );
  expect(replies.map((line) => line.slice(0, 3))).toEqual([
    '220',
    '503',
    '250',
    '503',
    '250',
    '501',
    '502',
    '221',
  ]);
});

it('greets with 421 when there are too many connections', async () => {
  const server = await start({ connectionsBefore421: 1 });
  const first = connect(server.port, server.ip);
  await once(first, 'data');
  expect((await talk(server, 'QUIT'))[0]).toMatch(/^421/);
  first.destroy();
  await server.whenEmpty();
  expect(server.maxParallel).toBe(2);
});
