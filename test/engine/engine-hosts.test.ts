/** Domains with several mail servers: which of them are asked, in what order, and whose word counts. */
import { expect, it } from 'vitest';
import type { VerificationResult } from '../../src/protocol/result.ts';
import { stopClockInFile } from './world/clock.ts';
import { type EngineInWorld, engineIn, openWorld, told } from './world/engine.ts';
import { close, flood, type MailScript, raw, reset, silence } from './world/mail-server.ts';

const HTTP = raw('HTTP/1.1 400 Bad Request\r\n\r\n');

/** First hosts, by what they do. */
const FIRST: Record<string, MailScript> = {
  'mute.test': { banner: silence },
  'mute-ehlo.test': { ehlo: silence },
  'closing.test': { banner: close },
  'resetting.test': { banner: reset },
  'closing-ehlo.test': { ehlo: close },
  'refusing.test': { banner: '554 5.7.1 You are not welcome' },
  'busy.test': { banner: ['421 4.3.2 Busy', close] },
  'refusing-ehlo.test': { ehlo: '550 Go away', helo: '550 Go away' },
  'http.test': { banner: [HTTP, close] },
  'ssh.test': { banner: 'SSH-2.0-OpenSSH_9.9' },
  'flooding.test': { banner: flood(100_000, true) },
  'unknown.test': { mailboxes: [] },
  'greylisting.test': { greylist: true },
  'policy.test': { rcpt: '550 5.7.1 Rejected by policy' },
  'closing-rcpt.test': { rcpt: close },
  'refusing-mail.test': { mail: '550 5.7.1 Sender refused' },
  'four-mail.test': { mail: '451 4.3.0 Try later' },
  'busy-mail.test': { mail: ['421 4.7.0 Too much', close] },
  'silent-rcpt.test': { rcpt: silence },
  'silent-mail.test': { mail: silence },
};

stopClockInFile();
const { world, engine } = await openWorld({ ...FIRST, 'second.test': {}, 'third.test': {} });

let domains = 0;
/** A new domain with these hosts, in this order. */
function domainWith(...hosts: readonly string[]): string {
  domains += 1;
  const domain = `domain-${domains}.test`;
  world.dns.set(domain, { MX: hosts.map((host, index) => [10 * (index + 1), host]) });
  return domain;
}
const BY_SECOND = { reason: 'accepted_email', mx_record: 'mx.second.test' } as const;
const connectionsOf = (domain: string) => world.server(domain).connections;
const ipOf = (domain: string) => world.server(domain).ip;

async function expectResult(
  domain: string,
  expected: Partial<VerificationResult>,
  how: Parameters<EngineInWorld['verify']>[1] = {},
): Promise<void> {
  const { result, evidence } = await engine.verify(`jane@${domain}`, how);
  expect(result, told(evidence)).toMatchObject(expected);
}

it.each([
  ...['closing.test', 'resetting.test', 'closing-ehlo.test', 'refusing.test', 'busy.test'],
  ...['refusing-ehlo.test', 'http.test', 'flooding.test'],
])('asks the next host after a failure at the banner or the greeting: %s', async (first) => {
  const before = connectionsOf('second.test');
  await expectResult(domainWith(`mx.${first}`, 'mx.second.test'), BY_SECOND);
  expect(connectionsOf('second.test')).toBe(before + 1);
});

it('asks the next host if no server listens, and if the name does not exist', async () => {
  world.dns.set('mx.nobody.test', { A: ['127.0.9.9'] });
  await expectResult(domainWith('mx.gone.test', 'mx.nobody.test', 'mx.second.test'), BY_SECOND);
});

it('asks the next IP address of a host', async () => {
  world.dns.set('mx.several.test', { A: ['127.0.9.9', ipOf('http.test'), ipOf('third.test')] });
  const expected = { reason: 'accepted_email', mx_record: 'mx.several.test' } as const;
  await expectResult(domainWith('mx.several.test'), expected);
});

it.each(['mute.test', 'mute-ehlo.test'])('leaves half of the time to the next host: %s', async (first) => {
  const domain = domainWith(`mx.${first}`, 'mx.second.test');
  const result = await engine.check(`jane@${domain}`, { timeoutMs: 600 });
  expect(result).toMatchObject({ reason: 'accepted_email', mx_record: 'mx.second.test' });
  expect(result.duration).toBeGreaterThanOrEqual(0.3);
  expect(result.duration).toBeLessThan(0.6);
});

it.each<[string, Partial<VerificationResult>]>([
  ['unknown.test', { reason: 'rejected_email' }],
  ['greylisting.test', { reason: 'unavailable_smtp' }],
  ['policy.test', { reason: 'unavailable_smtp' }],
  ['closing-rcpt.test', { state: 'unknown' }],
  ['refusing-mail.test', { reason: 'unavailable_smtp' }],
  ['four-mail.test', { reason: 'unavailable_smtp' }],
  ['busy-mail.test', { reason: 'unavailable_smtp' }],
])('asks no other host after the greeting: %s', async (first, expected) => {
  const before = connectionsOf('second.test');
  await expectResult(domainWith(`mx.${first}`, 'mx.second.test'), { ...expected, mx_record: `mx.${first}` });
  expect(connectionsOf('second.test')).toBe(before);
});

it.each(['silent-rcpt.test', 'silent-mail.test'])('asks no other host after silence at %s', async (first) => {
  const before = connectionsOf('second.test');
  const domain = domainWith(`mx.${first}`, 'mx.second.test');
  const result = await engine.check(`jane@${domain}`, { timeoutMs: 300 });
  expect(result).toMatchObject({ reason: 'timeout', mx_record: `mx.${first}`, duration: 0.3 });
  expect(connectionsOf('second.test')).toBe(before);
});

it('skips an organisation after its 421, and asks another organisation', async () => {
  world.dns.set('a.crowded.test', { A: [ipOf('busy.test')] });
  world.dns.set('b.crowded.test', { A: [ipOf('third.test')] });
  const before = connectionsOf('third.test');
  await expectResult(domainWith('a.crowded.test', 'b.crowded.test'), { reason: 'unavailable_smtp' });
  expect(connectionsOf('third.test')).toBe(before);
  const other = engineIn(world);
  const domain = domainWith('a.crowded.test', 'b.crowded.test', 'mx.second.test');
  expect(await other.check(`jane@${domain}`)).toMatchObject(BY_SECOND);
  expect(connectionsOf('third.test')).toBe(before);
  await other.close();
});

it.each<[string, string[], string]>([
  ['all speak another protocol', ['mx.http.test'], 'invalid_smtp'],
  ['one speaks another protocol and one cannot be reached', ['mx.http.test', 'mx.nobody.test'], 'no_connect'],
  ['one cannot be reached and one speaks another protocol', ['mx.nobody.test', 'mx.http.test'], 'no_connect'],
  ['one refuses and one speaks another protocol', ['mx.refusing.test', 'mx.http.test'], 'unavailable_smtp'],
  ['one refuses and one cannot be reached', ['mx.refusing.test', 'mx.nobody.test'], 'unavailable_smtp'],
  ['one cannot be reached and one closes', ['mx.nobody.test', 'mx.closing.test'], 'unavailable_smtp'],
  ['none can be reached', ['mx.nobody.test', 'mx.noone.test'], 'no_connect'],
])('decides if %s', async (_, hosts, reason) => {
  world.dns.set('mx.nobody.test', { A: ['127.0.9.9'] });
  world.dns.set('mx.noone.test', { A: ['127.0.9.8'] });
  // Another engine's 421 and blocks must not count.
  const fresh = engineIn(world);
  expect(await fresh.check(`jane@${domainWith(...hosts)}`)).toMatchObject({ reason });
  await fresh.close();
});

it('does not condemn an address if the time is over before the other host was asked', async () => {
  world.server('http.test').set({ banner: [{ waitMs: 150 }, HTTP, close] });
  const domain = domainWith('mx.http.test', 'mx.mute.test');
  const result = await engine.check(`jane@${domain}`, { timeoutMs: 350 });
  expect(result.state).toBe('unknown');
});

it('does not condemn an address if only one of its hosts could be looked up', async () => {
  for (const trouble of ['SERVFAIL', 'silent'] as const) {
    world.dns.set(`mx.${trouble.toLowerCase()}.test`, { trouble });
    const domain = domainWith(`mx.${trouble.toLowerCase()}.test`, 'mx.ssh.test');
    expect(await engine.check(`jane@${domain}`)).toMatchObject({ state: 'unknown', reason: 'no_connect' });
  }
  const domain = domainWith('mx.gone.test', 'mx.ssh.test');
  expect(await engine.check(`jane@${domain}`)).toMatchObject({ reason: 'invalid_smtp' });
});

it('asks hosts of equal preference in random order, and others by preference', async () => {
  const domain = 'equal.test';
  const others = ['mx.second.test', 'mx.third.test'];
  world.dns.set(domain, { MX: [[20, 'mx.unknown.test'], ...others.map((name) => [10, name] as const)] });
  const asked = new Set<string>();
  for (let count = 0; count < 40 && asked.size < 2; count += 1) {
    asked.add((await engine.check(`jane@${domain}`)).mx_record);
  }
  expect([...asked].sort()).toEqual(others);
});
