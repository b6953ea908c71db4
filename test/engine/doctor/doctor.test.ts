/** What `doctor` finds, and what it says to do. */
import { describe, expect, it } from 'vitest';
import { reverseIp } from '../../../src/engine/dns/reverse-name.ts';
import { type Case, examine, mailAt, OPEN, OWN_IP, PROVIDERS, SHUT, WELL } from './examine.ts';

it('gives no advice if all is well', async () => {
  const { findings, isPortClosed } = await examine({ options: { blockLists: ['list.example'] } });
  expect(findings.map(({ status }) => status)).toEqual(findings.map(() => 'ok'));
  expect(findings.map(({ check }) => check)).toEqual([
    'name servers',
    'port 25',
    'helo',
    'reverse DNS',
    'sender MX',
    'sender SPF',
    'block list list.example',
  ]);
  expect(isPortClosed).toBe(false);
});

it('gives advice about every fault', async () => {
  const cases: Case[] = [
    { names: {} },
    { connect: () => SHUT },
    { names: { ...WELL, [OWN_IP]: { trouble: { kind: 'no-answer' } } } },
    { names: { ...WELL, 'example.org': { trouble: { kind: 'failed', code: 'SERVFAIL' } } } },
    { options: { helo: 'localhost' } },
  ];
  for (const each of cases) {
    const { findings } = await examine(each);
    const unwell = findings.filter(({ status }) => status !== 'ok');
    expect(unwell).not.toEqual([]);
    for (const found of unwell) expect(found.advice, found.text).toMatch(/^[A-Z].*\.$|"$/s);
  }
});

describe('port 25', () => {
  it('is closed for certain when no large provider can be reached', async () => {
    const { isPortClosed, of } = await examine({ connect: () => SHUT });
    expect(isPortClosed).toBe(true);
    expect(of('port 25')).toMatchObject({
      status: 'problem',
      text: expect.stringContaining('no answer in time'),
    });
  });

  it('is open when one of them can be reached', async () => {
    const { isPortClosed, of } = await examine({ connect: (ip) => (ip === '17.57.1.1' ? OPEN : SHUT) });
    expect(isPortClosed).toBe(false);
    expect(of('port 25')?.status).toBe('ok');
  });

  it('is not called closed when the providers cannot be looked up', async () => {
    const { isPortClosed, of } = await examine({ names: {}, connect: () => SHUT });
    expect(isPortClosed).toBe(false);
    expect(of('port 25')?.status).toBe('unknown');
  });

  it('is not called closed when all names lead to one IP address', async () => {
    const same = Object.fromEntries(
      Object.keys(PROVIDERS).map((name) => [name, { ...mailAt('mx.example.net') }]),
    );
    const { isPortClosed } = await examine({
      names: { ...same, 'mx.example.net': { a: ['203.0.114.1'] } },
      connect: () => SHUT,
    });
    expect(isPortClosed).toBe(false);
  });
});

describe('the name in EHLO', () => {
  it('needs an A record', async () => {
    const { of } = await examine({ names: PROVIDERS });
    expect(of('helo')).toMatchObject({
      status: 'warning',
      text: 'verify.example.org has no IP address in the DNS.',
    });
  });

  it('has to have the IP address from which conversations start', async () => {
    const { of } = await examine({ options: { localAddresses: ['198.51.99.8'] } });
    expect(of('helo')?.text).toContain('conversations begin at 198.51.99.8');
    const message = 'The reverse DNS of 198.51.99.8 has no name, and live.helo is verify.example.org.';
    expect(of('reverse DNS')?.text).toBe(message);
  });

  it('takes the IP address of its own name when the machine knows only a private one', async () => {
    const { of } = await examine({ options: { localAddresses: [] } });
    expect(of('helo')?.status).toBe('ok');
    expect(of('reverse DNS')?.text).toContain(OWN_IP);
  });
});

describe('the sender', () => {
  it('needs a domain that takes mail, and one SPF record', async () => {
    const { of } = await examine({
      names: { ...WELL, 'example.org': { mx: [{ preference: 0, exchange: '' }] } },
    });
    expect(of('sender MX')?.text).toBe('example.org has no MX record, or a null MX.');
    expect(of('sender SPF')?.text).toBe('example.org has no SPF record.');
  });

  it('must not have two SPF records', async () => {
    const twice = { ...mailAt('mx.example.org'), txt: ['v=spf1 -all', 'v=spf1 mx -all'] };
    const { of } = await examine({ names: { ...WELL, 'example.org': twice } });
    expect(of('sender SPF')?.text).toContain('2 SPF records');
  });

  it('is the name in EHLO when it is the null sender', async () => {
    const { of } = await examine({ options: { mailFrom: '' } });
    expect(of('sender MX')).toBeUndefined();
    expect(of('sender SPF')?.text).toBe('verify.example.org has no SPF record.');
  });
});

describe('block lists', () => {
  const listing = (code: string) => ({ ...WELL, [`${reverseIp(OWN_IP)}.list.example`]: { a: [code] } });
  const options = { blockLists: ['list.example'] };

  it('are asked only when the config names them', async () => {
    const { findings } = await examine({ names: listing('127.0.0.2') });
    expect(findings.some(({ check }) => check.startsWith('block list'))).toBe(false);
  });

  it('report the machine', async () => {
    const { of } = await examine({ names: listing('127.0.0.2'), options });
    expect(of('block list list.example')).toMatchObject({
      status: 'warning',
      text: `${OWN_IP} is listed (127.0.0.2).`,
    });
  });

  it('that refuse the question do not report it', async () => {
    const { of } = await examine({ names: listing('127.255.255.254'), options });
    expect(of('block list list.example')?.status).toBe('unknown');
  });
});

it('writes an IP address in the form for block lists', () => {
  expect(reverseIp('192.0.2.1')).toBe('1.2.0.192');
  expect(reverseIp('2001:db8::1')).toBe('1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2');
});
