/** Servers that say nothing, too much, or the wrong thing: the engine ends in time, and condemns nobody for it. */
import { describe, expect, it } from 'vitest';
import type { Reason } from '../../src/protocol/result.ts';
import { stopClockInFile } from './world/clock.ts';
import { engineIn, openWorld } from './world/engine.ts';
import { close, flood, type MailScript, raw, reset, silence, trickle, wait } from './world/mail-server.ts';

const TIMEOUT_MS = 500;
const TEN_MEGABYTES = 10_000_000;
/** One byte a second, for tests that last half a second. */
const slow = (text: string) => trickle(`${text}\r\n`, 1000);
const SILENT: readonly Reason[] = ['timeout', 'no_connect'];

/** By domain: what the server does, and the reasons that are right. */
const SILENCES: Record<string, readonly [MailScript, readonly Reason[]]> = {
  'banner.test': [{ banner: silence }, SILENT],
  'half-banner.test': [{ banner: ['220-wait', silence] }, SILENT],
  'half-line.test': [{ banner: [raw('220 mx'), silence] }, SILENT],
  'ehlo.test': [{ ehlo: silence }, ['timeout']],
  'half-ehlo.test': [{ ehlo: ['250-mx', silence] }, ['timeout']],
  'helo.test': [{ ehlo: '502 No', helo: silence }, ['timeout']],
  'starttls.test': [{ starttls: 'hanging', ehlo: silence }, ['timeout']],
  'mail.test': [{ mail: silence }, ['timeout']],
  'rcpt.test': [{ rcpt: silence }, ['timeout']],
  'half-rcpt.test': [{ rcpt: ['550-5.1.1 No such user', silence] }, ['timeout']],
  'slow-banner.test': [{ banner: slow('220 mx') }, SILENT],
  'slow-ehlo.test': [{ ehlo: slow('250 mx') }, ['timeout']],
  'slow-mail.test': [{ mail: slow('250 OK') }, ['timeout']],
  'slow-rcpt.test': [{ rcpt: slow('550 5.1.1 No such user') }, ['timeout']],
};

/** Each of them leaves the address unknown. */
const UNKNOWN: Record<string, MailScript> = {
  'close-banner.test': { banner: close },
  'close-half-banner.test': { banner: [raw('220 m'), close] },
  'reset-banner.test': { banner: [wait(10), reset] },
  'close-ehlo.test': { ehlo: close },
  'reset-ehlo.test': { ehlo: reset },
  'close-helo.test': { ehlo: '502 No', helo: close },
  'close-mail.test': { mail: close },
  'reset-mail.test': { mail: reset },
  'close-rcpt.test': { rcpt: close },
  'reset-rcpt.test': { rcpt: reset },
  'close-half-rcpt.test': { rcpt: [raw('550 5.1.1 No su'), close] },
  'flood-banner.test': { banner: flood(TEN_MEGABYTES, true) },
  'flood-ehlo.test': { ehlo: flood(TEN_MEGABYTES, true) },
  'flood-mail.test': { mail: [raw('250 '), flood(TEN_MEGABYTES, false)] },
  'flood-rcpt.test': { rcpt: [raw('550 5.1.1 '), flood(TEN_MEGABYTES, false)] },
  'many-rcpt.test': { rcpt: raw('550 5.1.1 no such user\r\n'.repeat(100_000)) },
  'pipelined.test': { banner: raw('220 a\r\n250 b\r\n250 c\r\n550 5.1.1 No such user\r\n') },
  'early-rcpt.test': { mail: raw('250 OK\r\n550 5.1.1 No such user\r\n') },
  'nonsense-rcpt.test': { rcpt: 'No such user here' },
  'nul-mail.test': { mail: raw(Buffer.from([0, 0, 0xff, 0xfe, 13, 10])) },
  'goodbye-rcpt.test': { rcpt: ['421 4.4.2 Timeout', close] },
};

/** Each of them is asked without TLS in the end. */
const TLS: Record<string, MailScript> = {
  'tls-refused.test': { starttls: 'refused' },
  'tls-broken.test': { starttls: 'broken' },
  'tls-closing.test': { starttls: 'closing' },
  'tls-mute.test': { starttls: 'mute' },
  'tls-hanging.test': { starttls: 'hanging' },
  'tls-old.test': { starttls: 'offered', oldTls: true },
  'tls-injected.test': { starttls: 'offered', injectedBeforeTls: '550 5.1.1 No such user\r\n' },
};

const clock = stopClockInFile();
const silences = Object.entries(SILENCES).map(([domain, [script]]) => [domain, script] as const);
const { world, engine } = await openWorld({
  ...Object.fromEntries(silences),
  ...UNKNOWN,
  ...TLS,
  'nul.test': { rcpt: raw(Buffer.from('550 5.1.1 \0\xe9\xff User unknown\r\n', 'latin1')) },
  'crlf.test': { rcpt: raw('550 5.1.1 User unknown\n') },
  'postscreen.test': {
    banner: ['220-mx.test wait', wait(150), '220 mx.test ESMTP'],
    punishEarlyTalkers: true,
  },
  'quit.test': { quit: silence, rset: silence },
});

describe('silence', () => {
  it.each(Object.entries(SILENCES))(
    'ends with the time, with the right reason: %s',
    async (domain, [, reasons]) => {
      const result = await engine.check(`jane@${domain}`, { acceptAll: true, timeoutMs: TIMEOUT_MS });
      expect(result).toMatchObject({ state: 'unknown', score: 50, accept_all: null });
      expect(reasons).toContain(result.reason);
      expect(result.duration).toBe(TIMEOUT_MS / 1000);
    },
  );

  it('after RCPT costs no time', async () => {
    const { reason, duration } = await engine.check('jane@quit.test');
    expect(reason).toBe('accepted_email');
    expect(duration).toBeLessThan(TIMEOUT_MS / 1000);
  });
});

it.each(Object.keys(UNKNOWN))('leaves the address unknown: %s', async (domain) => {
  const result = await engine.check(`jane@${domain}`, { timeoutMs: 2000 });
  expect(result).toMatchObject({ state: 'unknown', score: 50, mailbox_full: false });
  expect(result.reason).not.toBe('timeout');
  expect(result.duration).toBeLessThan(2);
});

it('reads a bounded part of an endless reply', async () => {
  for (const domain of ['flood-banner.test', 'flood-ehlo.test', 'flood-mail.test', 'flood-rcpt.test']) {
    const server = world.server(domain);
    await server.whenEmpty();
    expect(server.bytesTaken(), domain).toBeLessThan(TEN_MEGABYTES);
  }
});

it.each(Object.keys(TLS))('verifies in spite of %s', async (domain) => {
  const result = await engine.check(`jane@${domain}`, { timeoutMs: 1200 });
  expect(result).toMatchObject({ reason: 'accepted_email' });
});

it('ignores replies that were injected before TLS', () => {
  expect(world.server('tls-injected.test').log.filter(({ tls }) => tls).length).toBeGreaterThan(2);
});

it('waits for the whole banner of a server that punishes early commands', async () => {
  expect((await engine.check('jane@postscreen.test')).reason).toBe('accepted_email');
});

it.each(['nul.test', 'crlf.test'])('reads a reply with odd bytes: %s', async (domain) => {
  expect((await engine.check(`jane@${domain}`)).reason).toBe('rejected_email');
});

it('ends running verifications when the engine is closed, and condemns no address', async () => {
  const closing = engineIn(world);
  const server = world.server('rcpt.test');
  const before = server.lines().filter((line) => line.startsWith('RCPT')).length;
  const asked = closing.verify('jane@rcpt.test', { timeoutMs: 10_000 });
  await server.whenSent(/^RCPT/, before + 1);
  const began = clock.at;
  await closing.close();
  expect((await asked).result.state).toBe('unknown');
  // It waits for a late reply, and then for the server's side to close.
  expect(clock.at - began).toBeLessThan(1000);
});
