/**
 * The law: no fault of ours, of the network or of reputation ever makes an address undeliverable. Random faults at random
 * stages of random servers, through the whole engine.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rounds } from '../long.mjs';
import { stopClockInFile } from './world/clock.ts';
import type { NamedTrouble } from './world/dns-troubles.ts';
import { engineIn, told } from './world/engine.ts';
import {
  close,
  flood,
  type MailScript,
  raw,
  reset,
  type Step,
  silence,
  trickle,
} from './world/mail-server.ts';
import { startWorld, type World } from './world/world.ts';

const TIMEOUT_MS = 1000;
/** What pacing has after the time, to say why it held back. */
const GRACE_MS = 100;
/** So many scenarios run side by side, on one clock. Each has servers of its own. */
const LANES = 5;
const RUNS = rounds(30, 120);
const laneOf = (lane: number) => ['one', 'two', 'three'].map((name) => `${name}-${lane}.test`);

stopClockInFile();
let world: World;
beforeAll(async () => {
  const domains = Array.from({ length: LANES }, (_, lane) => laneOf(lane)).flat();
  world = await startWorld(Object.fromEntries(domains.map((domain) => [domain, {}])));
});
afterAll(() => world.close());

/** What servers say about everything but a mailbox. */
const ABOUT = [
  'Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org',
  'Your IP address has a poor reputation',
  'Too many connections from your host, slow down',
  'Relay access denied',
  'Message rejected due to local policy',
  'Sender address rejected: Domain not found',
  'Sender verify failed, no such user probe@verify.world.test',
  'Client host rejected: cannot find your reverse hostname',
  'HELO command rejected: Host not found',
  'Greylisted, please try again later',
  'Temporary lookup failure',
  'Local error in processing',
  'Insufficient system storage',
  'Try again later',
  'Internal server error',
  'Access denied',
  'Not now',
  '',
];
const NOT_ABOUT_A_MAILBOX = [
  '4.2.0',
  '4.3.0',
  '4.3.2',
  '4.4.1',
  '4.7.0',
  '5.3.0',
  '5.4.0',
  '5.7.1',
  '5.7.26',
  '5.1.8',
  '',
];

const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...ABOUT) },
  // Letters that spell no word of any table.
  { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom(...'xqzjkw -.'), maxLength: 60 }) },
);
const refusal = fc
  .tuple(
    fc.constantFrom(421, 450, 451, 452, 454, 500, 502, 503, 521, 530, 535, 550, 553, 554, 571),
    fc.constantFrom(...NOT_ABOUT_A_MAILBOX),
    text,
    fc.boolean(),
  )
  .map(([code, enhanced, words, isSplit]) => {
    const line = `${enhanced} ${words}`.trim();
    return isSplit ? `${code}-${line}\n${code} ${enhanced}` : `${code} ${line}`;
  });
const fault: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: refusal },
  { weight: 1, arbitrary: refusal.map((reply): Step => [reply, close]) },
  {
    weight: 3,
    arbitrary: fc.constantFrom<Step>(
      close,
      reset,
      silence,
      flood(100_000, true),
      // What begins like a reply: anything else is not SMTP, if it is the banner.
      [raw('220 '), flood(100_000, false)],
      trickle('550 5.1.1 User unknown\r\n', TIMEOUT_MS / 2),
      [raw('550 5.1.1 User unkn'), close],
      ['550-5.1.1 User unknown', close],
      ['550-5.1.1 User unknown', silence],
    ),
  },
);
/** After a banner of SMTP, nonsense is a fault. */
const nonsense: fc.Arbitrary<Step> = fc
  .uint8Array({ minLength: 1, maxLength: 40 })
  .filter((bytes) => !/[2-5]\d\d/.test(Buffer.from(bytes).toString('latin1')))
  .map((bytes) => [raw(Buffer.from(bytes)), raw('\r\n')]);
const laterFault = fc.oneof({ weight: 5, arbitrary: fault }, { weight: 1, arbitrary: nonsense });

/** A server with a fault at one stage at least. The mailbox exists. */
const script: fc.Arbitrary<MailScript> = fc.oneof(
  fault.map((banner): MailScript => ({ banner })),
  fc
    .tuple(laterFault, fc.option(laterFault))
    .map(([ehlo, helo]): MailScript => (helo === null ? { ehlo } : { ehlo, helo })),
  laterFault.map((mail): MailScript => ({ mail })),
  laterFault.map((rcpt): MailScript => ({ rcpt })),
  // Only the impossible address, or the end, meets the fault.
  laterFault.map((step): MailScript => ({ rcpt: (to) => (to.startsWith('jane') ? '250 OK' : step) })),
  laterFault.map((rset): MailScript => ({ rset })),
  fc
    .tuple(
      fc.constantFrom('refused', 'busy', 'broken', 'hanging', 'closing', 'mute', 'offered'),
      fc.option(laterFault),
    )
    .map(([starttls, rcpt]): MailScript => (rcpt === null ? { starttls } : { starttls, rcpt })),
  fc.constant<MailScript>({ greylist: true }),
  fc.constant<MailScript>({ connectionsBefore421: 0 }),
);

const dnsTrouble = fc.constantFrom<NamedTrouble>(
  ...([
    'silent',
    'SERVFAIL',
    'REFUSED',
    'FORMERR',
    'wrong-id',
    'garbage',
    'short',
    'no-tcp',
    'short-tcp',
  ] as const),
);
/** Seldom, because a domain in trouble is asked about nothing else. */
const seldom = fc.oneof({ weight: 7, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: dnsTrouble });
const zone = fc.record(
  { mx: seldom, hosts: fc.array(seldom, { minLength: 3, maxLength: 3 }) },
  { noNullPrototype: true },
);

const scenario = fc.record({
  scripts: fc.array(script, { minLength: 1, maxLength: 3 }),
  zone,
  acceptAll: fc.boolean(),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer Value> ? Value : never;

let runs = 0;
async function run({ scripts, zone: { mx, hosts }, acceptAll }: Scenario, lane: number): Promise<void> {
  runs += 1;
  const domain = `run-${runs}.test`;
  const servers = laneOf(lane).map((name) => world.server(name));
  const names = scripts.map((_, index) => `mx${index}.${domain}`);
  for (const [index, name] of names.entries()) {
    servers[index]!.set(scripts[index]!);
    const trouble = hosts[index];
    world.dns.set(name, { A: [servers[index]!.ip], ...(trouble ? { trouble } : {}) });
  }
  world.dns.set(domain, {
    MX: names.map((name, index) => [index, name]),
    ...(mx ? { trouble: { MX: mx } } : {}),
  });
  const engine = engineIn({ live: world.live, servers });
  const { result, evidence } = await engine.verify(`jane@${domain}`, { acceptAll, timeoutMs: TIMEOUT_MS });
  for (const name of [domain, ...names]) world.dns.set(name, undefined);
  expect(result.state, told(evidence)).not.toBe('undeliverable');
  expect(result.accept_all === true && !acceptAll).toBe(false);
  expect(result.duration).toBeLessThanOrEqual((TIMEOUT_MS + GRACE_MS) / 1000);
  // What is left of the conversations must not meet the next run's servers.
  await engine.close();
}

it('never condemns an address for a fault', async () => {
  const lanes = fc.array(scenario, { minLength: LANES, maxLength: LANES });
  await fc.assert(
    fc.asyncProperty(lanes, async (scenarios) => {
      const ended = await Promise.allSettled(scenarios.map(run));
      for (const end of ended) if (end.status === 'rejected') throw end.reason;
    }),
    { numRuns: RUNS },
  );
  expect(runs).toBeGreaterThanOrEqual(RUNS * LANES);
});
