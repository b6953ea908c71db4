/** What never ends must end in time, and leave nothing behind. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import type { Observation } from '../../../src/engine/smtp/mail-client.ts';
import { flood, type MailScript, multiline, silence, trickle } from '../world/mail-server.ts';
import { answered, client, countingPacing, question, server } from './support.ts';

const BUDGET_MS = 200;
/** RFC 5321 knows no shorter one: "slow" takes far longer than the budget. */
const slow = (text: string) => trickle(`${text}\r\n`, 40);
const tarpit = slow(multiline(220, 'mx.test', 'please', 'wait'));

it.each<[string, MailScript, Observation['kind']]>([
  ['silence at the banner', { banner: silence }, 'unreachable'],
  ['half a banner', { banner: ['220-mx.test', silence] }, 'unreachable'],
  ['a line without an end', { banner: [{ raw: '220 mx.test' }, silence] }, 'unreachable'],
  ['a banner byte by byte', { banner: tarpit }, 'unreachable'],
  ['silence at EHLO', { ehlo: silence }, 'mute'],
  ['EHLO byte by byte', { ehlo: slow('250 mx.test') }, 'mute'],
  ['silence at HELO', { ehlo: '502 No', helo: silence }, 'mute'],
  ['silence at STARTTLS and at EHLO after it', { starttls: 'hanging', ehlo: silence }, 'mute'],
  ['silence at MAIL', { mail: silence }, 'silent'],
  ['MAIL byte by byte', { mail: slow('250 2.1.0 OK') }, 'silent'],
  ['silence at RCPT', { rcpt: silence }, 'silent'],
  ['RCPT byte by byte', { rcpt: slow('550 5.1.1 No such user') }, 'silent'],
  ['half a reply to RCPT', { rcpt: ['550-5.1.1 No such user', silence] }, 'silent'],
])('%s', async (_, script, kind) => {
  const mx = await server(script);
  const pacing = countingPacing();
  const asking = client(mx.port, { pacing });
  const began = performance.now();
  const observed = await asking.ask(question({ budgetMs: BUDGET_MS }));
  const took = performance.now() - began;
  expect(observed).toEqual({ kind });
  expect(took).toBeGreaterThan(BUDGET_MS - 20);
  expect(took).toBeLessThan(BUDGET_MS + 200);
  await asking.close();
  await mx.whenEmpty();
  expect(performance.now() - began).toBeLessThan(BUDGET_MS + 1500);
  expect(pacing.held).toBe(0);
  expect(mx.log.filter(({ early }) => early)).toEqual([]);
});

it.each<MailScript>([{ rset: silence }, { quit: silence }, { rset: slow('250 2.0.0 OK') }])(
  'does not make the verdict wait for the end: %j',
  async (script) => {
    const mx = await server(script);
    const asking = client(mx.port);
    const began = performance.now();
    expect(await asking.ask(question())).toEqual(answered('accepted'));
    expect(performance.now() - began).toBeLessThan(300);
    await asking.close();
    await mx.whenEmpty();
    expect(performance.now() - began).toBeLessThan(2500);
  },
);

it('leaves the rest of the budget to the next host', async () => {
  const mx = await server({ ehlo: silence });
  const began = performance.now();
  const observed = await client(mx.port).ask(question({ budgetMs: 5000, greetingMs: 100 }));
  expect(observed).toEqual({ kind: 'mute' });
  expect(performance.now() - began).toBeLessThan(400);
});

it('lets MAIL and RCPT take longer than the greeting may', async () => {
  const mx = await server({ mail: slow('250'), rcpt: slow('250') });
  expect(await client(mx.port).ask(question({ greetingMs: 150 }))).toEqual(answered('accepted'));
});

const TEN_MEGABYTES = 10_000_000;
it.each<[string, MailScript]>([
  ['a banner of 10 MB', { banner: ['220-mx.test', flood(TEN_MEGABYTES, true)] }],
  ['an EHLO reply of 10 MB', { ehlo: flood(TEN_MEGABYTES, true) }],
  ['a reply to MAIL of 10 MB without line ends', { mail: [{ raw: '250 ' }, flood(TEN_MEGABYTES, false)] }],
  ['a reply to RCPT of 10 MB without line ends', { rcpt: [{ raw: '550 ' }, flood(TEN_MEGABYTES, false)] }],
  ['100,000 replies at once', { rcpt: { raw: '550 no\r\n'.repeat(100_000) } }],
])('reads a bounded part of %s', async (name, script) => {
  const mx = await server(script);
  const pacing = countingPacing();
  const asking = client(mx.port, { pacing });
  const observed = await asking.ask(question());
  // During the greeting, the next host is asked.
  const isGreeting = 'banner' in script || 'ehlo' in script;
  expect(observed).toEqual(isGreeting ? { kind: 'not-welcome', slowDown: false } : { kind: 'flood' });
  await asking.close();
  await mx.whenEmpty();
  expect(mx.bytesTaken(), name).toBeLessThan(TEN_MEGABYTES);
  expect(pacing.held).toBe(0);
});

it('closes the connection of a server that never closes its side', async () => {
  const sockets: Socket[] = [];
  const mx = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    socket.on('error', () => {}).on('data', () => socket.write('250 OK\r\n'));
    socket.write('220 mx.test\r\n');
  }).listen(0, '127.0.0.1');
  await once(mx, 'listening');
  const pacing = countingPacing();
  const asking = client((mx.address() as AddressInfo).port, { pacing });
  const began = performance.now();
  expect(await asking.ask(question())).toEqual(answered('accepted'));
  await asking.close();
  expect(performance.now() - began).toBeLessThan(1000);
  expect(pacing.held).toBe(0);
  for (const socket of sockets) socket.destroy();
  mx.close();
});
