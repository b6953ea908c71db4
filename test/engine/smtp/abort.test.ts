/**
 * Whenever a verification is given up, and whatever the server does, nothing is left behind. A few cases, always the
 * same; in the long run hundreds of new ones.
 */
import { Socket } from 'node:net';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rounds } from '../../long.mjs';
import { stopClock } from '../world/clock.ts';
import {
  close,
  flood,
  type MailScript,
  reset,
  type Step,
  silence,
  startMailServer,
  trickle,
  wait,
} from '../world/mail-server.ts';
import { startSocksServer } from '../world/socks-server.ts';
import { client, countingPacing, question } from './support.ts';

const RUNS = rounds(12, 300);
/** What pacing has after the signal, to say why it held back. Nothing else takes time then. */
const GRACE_MS = 100;

const step = (code: number): fc.Arbitrary<Step | undefined> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant(undefined) },
    { weight: 3, arbitrary: fc.constant([wait(15), `${code} OK`]) },
    {
      weight: 4,
      arbitrary: fc.constantFrom<Step>(
        silence,
        close,
        reset,
        'what?',
        '421 4.7.0 Later',
        '550 5.1.1 No',
        '450 4.2.0 Later',
        [`${code}-half`, silence],
        [`${code} OK`, close],
        { raw: `${code} OK\r\n${code} OK\r\n` },
        trickle(`${code} OK\r\n`, 5),
        flood(200_000, true),
        flood(200_000, false),
      ),
    },
  );
const script: fc.Arbitrary<MailScript> = fc
  .record({
    banner: step(220),
    ehlo: step(250),
    mail: step(250),
    rcpt: step(250),
    rset: step(250),
    quit: step(221),
    starttls: fc.constantFrom<MailScript['starttls']>(
      'none',
      'offered',
      'refused',
      'broken',
      'hanging',
      'closing',
      'mute',
    ),
    tlsRequired: fc.boolean(),
    recipientsBefore421: fc.constantFrom(1, 2, 100),
  })
  .map((parts) => Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)));
const asked = fc.record({
  atMs: fc.nat(30),
  abortAfterMs: fc.nat(120),
  greetingMs: fc.integer({ min: 10, max: 120 }),
  hasImpossible: fc.boolean(),
  probesApart: fc.boolean(),
});

/** The sockets of this process that are open. Those of the test worker may come and go. */
const sockets = () =>
  (process as unknown as { _getActiveHandles(): unknown[] })
    ._getActiveHandles()
    .filter((handle) => handle instanceof Socket);
/** Not a wait for something to happen: the moment at which a question is asked is drawn at random, as the property's input. */
const untilAsked = (atMs: number) => new Promise((resolve) => setTimeout(resolve, atMs));

it.each(['directly', 'through a proxy'])(
  'leaves no socket and no slot behind, %s',
  async (way) => {
    const clock = stopClock();
    const socks = await startSocksServer({ user: 'jane', password: 'secret' });
    const before = new Set(sockets());
    await fc.assert(
      fc.asyncProperty(
        script,
        fc.array(asked, { minLength: 1, maxLength: 6 }),
        async (behaviour, questions) => {
          const mx = await startMailServer(behaviour);
          const pacing = countingPacing({ atOnce: 2 });
          const asking = client(mx.port, {
            pacing,
            socksProxies: way === 'directly' ? [] : [`socks5://jane:secret@127.0.0.1:${socks.port}`],
          });
          /** When each question that goes on was given up. */
          const givenUp = new Map<number, number>();
          const all = Promise.all(
            questions.map(async ({ atMs, abortAfterMs, greetingMs, hasImpossible, probesApart }, index) => {
              await untilAsked(atMs);
              const giveUp = new AbortController();
              const timer = setTimeout(() => {
                givenUp.set(index, clock.at);
                giveUp.abort();
              }, abortAfterMs);
              await asking.ask(
                question({
                  recipient: `user${index}@acme.example`,
                  impossible: hasImpossible ? 'imke.madigux82@acme.example' : undefined,
                  organisation: { id: 'mx.test', probesApart },
                  signal: giveUp.signal,
                  greetingMs,
                }),
              );
              clearTimeout(timer);
              givenUp.delete(index);
            }),
          );
          await clock.run(all, () => Math.min(...givenUp.values()) + GRACE_MS);
          await clock.run(asking.close());
          await mx.whenEmpty();
          expect(pacing.held).toBe(0);
          expect(pacing.left).toHaveLength(pacing.entered.length);
          // A slot is left at once after "slow down": the pause is the pacing's, and this one makes none.
          if (!pacing.left.includes(true)) expect(mx.maxParallel).toBeLessThanOrEqual(2);
          expect(mx.log.filter(({ early }) => early)).toEqual([]);
          expect(
            mx.lines().filter((line) => !/^(EHLO|HELO|STARTTLS|MAIL|RCPT|RSET|QUIT)\b/.test(line)),
          ).toEqual([]);
          await mx.close();
          await expect.poll(() => sockets().filter((socket) => !before.has(socket)).length).toBe(0);
        },
      ),
      { numRuns: RUNS, endOnFailure: true },
    );
    await socks.close();
  },
  60_000 + RUNS * 4_000,
);
