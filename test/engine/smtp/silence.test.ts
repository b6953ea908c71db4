import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { createRecorder } from '../../../src/engine/recorder.ts';
import type { Observation } from '../../../src/engine/smtp/mail-client.ts';
import { listenOnLoopback } from '../../loopback.ts';
import { withResolvers } from '../../with-resolvers.ts';
import { isPending, stopClock } from '../world/clock.ts';
import { flood, type MailScript, multiline, silence, trickle } from '../world/mail-server.ts';
import { answered, client, countingPacing, question, server } from './support.ts';

const BUDGET_MS = 200;
/** RFC 5321 knows no shorter one: "slow" takes far longer than the budget. */
const slow = (text: string) => trickle(`${text}\r\n`, 40);
const tarpit = slow(multiline(220, 'mx.test', 'please', 'wait'));
/** Longer than it takes to send RSET and QUIT, to wait for their replies in vain, and to close. */
const FAREWELL_MS = 1500;

/** A question that says when its connection is open. */
function questionWhenConnected(asked: Parameters<typeof question>[0]) {
  const { promise: connected, resolve: open } = withResolvers();
  const recorder = createRecorder(({ stage }) => stage === 'connect' && open());
  return { asked: question({ ...asked, recorder }), connected };
}

it.each<[string, MailScript, Observation['kind'], RegExp?]>([
  ['silence at the banner', { banner: silence }, 'unreachable'],
  ['half a banner', { banner: ['220-mx.test', silence] }, 'unreachable'],
  ['a line without an end', { banner: [{ raw: '220 mx.test' }, silence] }, 'unreachable'],
  ['a banner byte by byte', { banner: tarpit }, 'unreachable'],
  ['silence at EHLO', { ehlo: silence }, 'mute', /^EHLO/],
  ['EHLO byte by byte', { ehlo: slow('250 mx.test') }, 'mute', /^EHLO/],
  ['silence at HELO', { ehlo: '502 No', helo: silence }, 'mute', /^HELO/],
  ['silence at MAIL', { mail: silence }, 'silent', /^MAIL/],
  ['MAIL byte by byte', { mail: slow('250 2.1.0 OK') }, 'silent', /^MAIL/],
  ['silence at RCPT', { rcpt: silence }, 'silent', /^RCPT/],
  ['RCPT byte by byte', { rcpt: slow('550 5.1.1 No such user') }, 'silent', /^RCPT/],
  ['half a reply to RCPT', { rcpt: ['550-5.1.1 No such user', silence] }, 'silent', /^RCPT/],
])('ends with the budget: %s', async (_, script, kind, last) => {
  const clock = stopClock();
  const mx = await server(script);
  const pacing = countingPacing();
  const asking = client(mx.port, { pacing });
  const { asked, connected } = questionWhenConnected({ budgetMs: BUDGET_MS });
  const observed = asking.ask(asked);
  await connected;
  if (last) await mx.whenSent(last);
  await clock.advance(BUDGET_MS - 1);
  expect(await isPending(observed)).toBe(true);
  await clock.advance(1);
  // The clock stands still: no other timer is needed.
  expect(await observed).toEqual({ kind });
  await clock.run(asking.close());
  await mx.whenEmpty();
  expect(clock.at).toBeLessThan(BUDGET_MS + FAREWELL_MS);
  expect(pacing.held).toBe(0);
  expect(mx.log.filter(({ early }) => early)).toEqual([]);
});

it('leaves half of the time to an attempt without TLS, which ends with the budget', async () => {
  const clock = stopClock();
  const mx = await server({ starttls: 'hanging' });
  const observed = client(mx.port).ask(question({ budgetMs: BUDGET_MS }));
  await mx.whenSent(/^STARTTLS/);
  mx.set({ ehlo: silence });
  await clock.advance(BUDGET_MS / 2);
  await mx.whenSent(/^EHLO/, 2);
  await clock.advance(BUDGET_MS / 2 - 1);
  expect(await isPending(observed)).toBe(true);
  await clock.advance(1);
  expect(await observed).toEqual({ kind: 'mute' });
});

it.each<MailScript>([{ rset: silence }, { quit: silence }, { rset: slow('250 2.0.0 OK') }])(
  'does not make the verdict wait for the end: %j',
  async (script) => {
    const clock = stopClock();
    const mx = await server(script);
    const asking = client(mx.port);
    expect(await asking.ask(question())).toEqual(answered('accepted'));
    await clock.run(asking.close());
    await mx.whenEmpty();
    expect(clock.at).toBeLessThan(FAREWELL_MS);
  },
);

it('leaves the rest of the budget to the next host', async () => {
  const clock = stopClock();
  const mx = await server({ ehlo: silence });
  const observed = client(mx.port).ask(question({ budgetMs: 5000, greetingMs: 100 }));
  await mx.whenSent(/^EHLO/);
  await clock.advance(100);
  expect(await observed).toEqual({ kind: 'mute' });
});

it('lets MAIL and RCPT take longer than the greeting may', async () => {
  const clock = stopClock();
  const mx = await server({ mail: slow('250'), rcpt: slow('250') });
  const observed = clock.run(client(mx.port).ask(question({ greetingMs: 150 })));
  expect(await observed).toEqual(answered('accepted'));
  expect(clock.at).toBeGreaterThan(150);
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
  const clock = stopClock();
  const mx = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('data', () => socket.write('250 OK\r\n'));
    socket.write('220 mx.test\r\n');
  });
  const pacing = countingPacing();
  const asking = client(await listenOnLoopback(mx), { pacing });
  expect(await asking.ask(question())).toEqual(answered('accepted'));
  await clock.run(asking.close());
  expect(clock.at).toBeLessThan(FAREWELL_MS);
  expect(pacing.held).toBe(0);
});
