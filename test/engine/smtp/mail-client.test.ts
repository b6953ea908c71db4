import { describe, expect, it } from 'vitest';
import { createRecorder } from '../../../src/engine/recorder.ts';
import { createMailClient, type Observation } from '../../../src/engine/smtp/mail-client.ts';
import { ended, stopClock } from '../world/clock.ts';
import { close, type MailScript, multiline, raw, reset, trickle, wait } from '../world/mail-server.ts';
import { answered, ask, client, countingPacing, OPTIONS, question, readReply, server } from './support.ts';

describe('an ordinary conversation', () => {
  it('asks about the address, one command at a time, and ends with RSET and QUIT', async () => {
    const { observed, mx } = await ask({});
    expect(observed).toEqual(answered('accepted'));
    expect(mx.lines()).toEqual([
      'EHLO verify.example',
      'MAIL FROM:<sender@verify.example>',
      'RCPT TO:<jane@acme.example>',
      'RSET',
      'QUIT',
    ]);
    expect(mx.log.filter(({ early }) => early)).toEqual([]);
  });

  it.each([
    ['accepted', '250 2.1.5 OK'],
    ['accepted', '251 User not local; will forward'],
    // RFC 5321, section 4.2.1: any 2yz is a completion. The server takes the mail, and does not say more.
    ['accepted', '252 Cannot verify the user'],
    ['no-such-mailbox', '550 5.1.1 User unknown'],
    ['no-such-mailbox', multiline(550, '5.1.1 The account', 'does not exist')],
    ['mailbox-full', '452 4.2.2 Over quota'],
    ['temporary', '450 4.2.0 Greylisted'],
    ['about-us', '554 5.7.1 Blocked'],
    ['refused', '550 No'],
  ])('reads the reply to RCPT: %s for %j', async (meaning, rcpt) => {
    const { observed, mx } = await ask({ rcpt });
    expect(observed).toEqual(answered(meaning));
    expect(mx.lines().at(-1)).toBe('QUIT');
  });

  it('uses the null sender', async () => {
    const { mx } = await ask({}, {}, { mailFrom: '' });
    expect(mx.lines()).toContain('MAIL FROM:<>');
  });

  it('sends a quoted local part as it is', async () => {
    const { observed, mx } = await ask({}, { recipient: '"jane \\" > doe"@acme.example' });
    expect(observed).toEqual(answered('accepted'));
    expect(mx.lines()).toContain('RCPT TO:<"jane \\" > doe"@acme.example>');
  });

  it('says HELO where EHLO is refused', async () => {
    const { observed, mx } = await ask({ ehlo: '502 5.5.1 Command not implemented', starttls: 'offered' });
    expect(observed).toEqual(answered('accepted'));
    expect(mx.lines().slice(0, 3)).toEqual([
      'EHLO verify.example',
      'HELO verify.example',
      'MAIL FROM:<sender@verify.example>',
    ]);
  });

  it('waits for the whole banner, as postscreen wants', async () => {
    stopClock();
    const banner = ['220-mx.test ESMTP', wait(80), '220-wait for it', wait(80), '220 mx.test ESMTP'];
    const { observed, mx } = await ask({ banner, punishEarlyTalkers: true });
    expect(observed).toEqual(answered('accepted'));
    expect(mx.log.filter(({ early }) => early)).toEqual([]);
  });

  it('reads replies that come byte by byte', async () => {
    const rcpt = trickle('550 5.1.1 No such user here\r\n', 2);
    expect((await ask({ rcpt })).observed).toEqual(answered('no-such-mailbox'));
  });

  it('reads replies with NUL and 8-bit bytes', async () => {
    const rcpt = raw(Buffer.from('550 5.1.1 \0\xe9\xff unknown\r\n', 'latin1'));
    expect((await ask({ rcpt })).observed).toEqual(answered('no-such-mailbox'));
  });

  it('goes by the reply to RCPT, even if the server closes right after it', async () => {
    for (const end of [close, reset]) {
      const { observed } = await ask({ rcpt: ['550 5.1.1 User unknown', end] });
      expect(observed).toEqual(answered('no-such-mailbox'));
    }
  });
});

describe('the observation without a reply to RCPT', () => {
  const NOT_WELCOME = { kind: 'not-welcome', slowDown: false } as const;
  const SLOW_DOWN = { kind: 'not-welcome', slowDown: true } as const;

  it.each<[string, MailScript, Observation]>([
    ['a banner that refuses', { banner: '554 No SMTP service here' }, NOT_WELCOME],
    ['a banner that says later', { banner: '450 4.3.2 Busy' }, NOT_WELCOME],
    ['a banner that says slow down', { banner: '421 4.7.0 Too many' }, SLOW_DOWN],
    ['a connection without a banner', { banner: close }, NOT_WELCOME],
    ['a reset instead of a banner', { banner: [wait(20), reset] }, NOT_WELCOME],
    ['half a banner', { banner: ['220-mx.test', close] }, NOT_WELCOME],
    ['half a line of a banner', { banner: [raw('220 mx'), close] }, NOT_WELCOME],
    ['HTTP', { banner: raw('HTTP/1.1 400 Bad Request\r\n\r\n') }, { kind: 'not-smtp' }],
    ['SSH', { banner: 'SSH-2.0-OpenSSH_9.9' }, { kind: 'not-smtp' }],
    ['bytes without a line end', { banner: raw('\x16\x03\x01') }, { kind: 'not-smtp' }],
    ['EHLO and HELO refused', { ehlo: '550 No', helo: '550 No' }, NOT_WELCOME],
    ['EHLO refused as blocked, then a close', { ehlo: '550 5.7.1 Blocked', helo: close }, SLOW_DOWN],
    ['EHLO answered with 421', { ehlo: '421 4.7.0 Later' }, SLOW_DOWN],
    ['a close at EHLO', { ehlo: close }, NOT_WELCOME],
    ['a reset at EHLO', { ehlo: reset }, NOT_WELCOME],
    ['nonsense at EHLO, after a banner', { ehlo: 'what?' }, NOT_WELCOME],
    ['MAIL refused', { mail: '550 5.1.8 Bad sender' }, { kind: 'sender-refused', slowDown: false }],
    [
      'MAIL answered with 421',
      { mail: ['421 4.7.0 Later', close] },
      { kind: 'sender-refused', slowDown: true },
    ],
    ['a close at MAIL', { mail: close }, { kind: 'closed' }],
    ['a close at RCPT', { rcpt: close }, { kind: 'closed' }],
    ['a reset at RCPT', { rcpt: reset }, { kind: 'closed' }],
    ['half a reply to RCPT', { rcpt: [raw('550 5.1.1 No such'), close] }, { kind: 'closed' }],
    ['half of the lines of a reply', { rcpt: ['550-5.1.1 No such', close] }, { kind: 'closed' }],
    ['nonsense at RCPT, after a banner', { rcpt: 'No such user' }, { kind: 'closed' }],
    ['a reply to something else at RCPT', { rcpt: '221 Bye' }, { kind: 'closed' }],
    ['354 at RCPT', { rcpt: '354 Go ahead' }, { kind: 'closed' }],
    ['a second banner as the reply to EHLO', { ehlo: '220 mx.test' }, NOT_WELCOME],
    ['a banner said twice', { banner: raw('220 a\r\n220 b\r\n') }, NOT_WELCOME],
    ['all replies at once', { banner: raw('220 a\r\n250 b\r\n250 c\r\n550 5.1.1 d\r\n') }, NOT_WELCOME],
    ['a reply too many', { mail: raw('250 OK\r\n550 5.1.1 no\r\n') }, { kind: 'closed' }],
    ['goodbye after MAIL', { mail: raw('250 OK\r\n421 4.4.2 Bye\r\n') }, answered('about-us') as never],
  ])('%s', async (_, script, expected) => {
    const { observed, mx } = await ask(script);
    expect(observed).toEqual(expected);
    expect(mx.log.filter(({ early }) => early)).toEqual([]);
  });

  it.each(['550 5.1.1 No', '554 5.7.1 Blocked', '250 OK'])('a reply too many after %s', async (first) => {
    const { observed, mx } = await ask({ rcpt: raw(`${first}\r\n250 OK\r\n`) });
    expect(observed).toMatchObject({ kind: 'answered' });
    expect(mx.lines().at(-1)).toBe('QUIT');
    expect(mx.log.filter(({ early }) => early)).toEqual([]);
  });

  it('no server listens', async () => {
    const mx = await server();
    await mx.close();
    expect(await client(mx.port).ask(question())).toEqual({ kind: 'unreachable' });
  });

  it('the IP address must not be contacted', async () => {
    const { observed, mx } = await ask({}, {}, { mayContact: () => false });
    expect(observed).toEqual({ kind: 'unreachable' });
    expect(mx.connections).toBe(0);
  });

  it.each([
    { banner: '554 No SMTP service' },
    { ehlo: '550 No', helo: '550 No' },
    { mail: '550 No' },
    { rcpt: '550 No' },
  ])('sends QUIT after %j', async (script) => {
    const { mx } = await ask(script);
    expect(mx.lines().at(-1)).toBe('QUIT');
  });

  it('an address that does not fit into a command is not sent', async () => {
    const { observed, mx } = await ask({}, { recipient: 'jane@acme.example\r\nDATA' });
    expect(observed).toEqual({ kind: 'closed' });
    expect(mx.connections).toBe(0);
  });
});

describe('characters beyond ASCII', () => {
  const recipient = 'jürgen@acme.example';

  it('need SMTPUTF8', async () => {
    const { observed, mx } = await ask({ smtpUtf8: true }, { recipient });
    expect(observed).toEqual(answered('accepted'));
    expect(mx.lines()).toContain('MAIL FROM:<sender@verify.example> SMTPUTF8');
    expect(mx.lines()).toContain('RCPT TO:<jürgen@acme.example>');
  });

  it('are not sent without it', async () => {
    const { observed, mx } = await ask({ smtpUtf8: false }, { recipient });
    expect(observed).toEqual({ kind: 'no-smtputf8' });
    expect(mx.lines()).toEqual(['EHLO verify.example', 'QUIT']);
  });

  it.each<[string, MailScript]>([
    ['TLS failed', { smtpUtf8: false, starttls: 'broken' }],
    ['EHLO was refused', { ehlo: '550 5.7.1 Access denied' }],
  ])('do not condemn an address if %s, because the server may have SMTPUTF8', async (_, script) => {
    const { observed } = await ask(script, { recipient });
    expect(observed).toEqual({ kind: 'smtputf8-unknown' });
  });

  it('are not sent to a server without EHLO', async () => {
    const { observed } = await ask({ ehlo: '502 5.5.1 Command not implemented' }, { recipient });
    expect(observed).toEqual({ kind: 'no-smtputf8' });
  });

  it('are the only reason for SMTPUTF8', async () => {
    const { mx } = await ask({ smtpUtf8: true });
    expect(mx.lines()).toContain('MAIL FROM:<sender@verify.example>');
  });
});

it.each(['banner', 'ehlo', 'mail', 'rcpt', 'probe'])(
  'says nothing about the mailbox after a fault of ours, and keeps no connection: %s',
  async (stage) => {
    const pacing = countingPacing();
    const failing: typeof readReply = (reply, context) => {
      if (context.stage === stage) throw new Error('a fault of ours');
      return readReply(reply, context);
    };
    const asked = { impossible: 'imke.madigux82@acme.example' };
    const { observed, mx } = await ask({}, asked, { pacing, readReply: failing });
    expect(observed).toEqual({ kind: 'closed' });
    expect(mx.connections).toBe(1);
    expect(pacing.left).toEqual([false]);
  },
);

describe('the evidence', () => {
  it('has each step, without an email address', async () => {
    // On a busy machine, the wait for a turn may be long enough to be a step.
    stopClock();
    const recorder = createRecorder();
    await ended(ask({ mailboxes: [] }, { recorder }));
    const steps = recorder.steps.map(({ stage, code = '', text }) => `${stage} ${code} ${text}`);
    expect(steps).toMatchInlineSnapshot(`
      [
        "connect  connected",
        "banner 220 "mx.test ESMTP"",
        "ehlo 250 EHLO: "mx.test at your service / PIPELINING / 8BITMIME / SIZE 10485760"",
        "mail 250 MAIL FROM: "2.1.0 OK"",
        "rcpt 550 RCPT TO: "5.1.1 <[address]>: Recipient address rejected: User unknown"",
        "rset 250 RSET: "2.0.0 OK"",
        "quit 221 QUIT: "2.0.0 Bye"",
      ]
    `);
    expect(recorder.steps.every(({ server: at }) => at === 'mx.test [127.0.0.1]')).toBe(true);
    expect(JSON.stringify(recorder.steps)).not.toContain('@');
  });

  it('is bounded, and quotes a long reply in part', async () => {
    const recorder = createRecorder();
    await ask({ rcpt: `550 ${'x'.repeat(60_000)}` }, { recorder });
    expect(JSON.stringify(recorder.steps).length).toBeLessThan(3000);
  });

  it('says what the wait was for', async () => {
    const recorder = createRecorder();
    await ask({}, { recorder }, { pacing: countingPacing({ inAll: 0 }) });
    const wait = { stage: 'wait', text: expect.stringContaining('per minute') };
    expect(recorder.steps).toEqual([expect.objectContaining(wait)]);
  });
});

it.each([
  { helo: 'a\r\nb' },
  { mailFrom: 'a@b\r\nc' },
  { localAddresses: ['x'] },
  { socksProxies: ['http://a:secret@b'] },
])('refuses wrong options: %j', (wrong) => {
  const make = () => createMailClient({ ...OPTIONS, smtpPort: 25, pacing: countingPacing(), ...wrong });
  expect(make).toThrow(/^Expected ((?!secret).)*$/);
});
