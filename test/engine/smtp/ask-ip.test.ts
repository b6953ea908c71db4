import { describe, expect, it } from 'vitest';
import { isPending, stopClock } from '../world/clock.ts';
import { close, type MailScript, reset, silence } from '../world/mail-server.ts';
import { answered, ask, client, countingPacing, question, server } from './support.ts';

describe('the address that cannot exist', () => {
  const mailboxes = ['jane@acme.example'];
  const impossible = 'imke.madigux82@acme.example';

  it('is sent in a separate transaction', async () => {
    const { observed, mx } = await ask({ mailboxes }, { impossible });
    expect(observed).toEqual(answered('accepted', false));
    expect(mx.lines().slice(1)).toEqual([
      'MAIL FROM:<sender@verify.example>',
      'RCPT TO:<jane@acme.example>',
      'RSET',
      'MAIL FROM:<sender@verify.example>',
      `RCPT TO:<${impossible}>`,
      'RSET',
      'QUIT',
    ]);
  });

  it('is accepted by a server that accepts all', async () => {
    expect((await ask({ catchAll: true }, { impossible })).observed).toEqual(answered('accepted', true));
  });

  it('is sent only after the real one was accepted', async () => {
    const { observed, mx } = await ask({ rcpt: '550 5.1.1 User unknown' }, { impossible });
    expect(observed).toEqual(answered('no-such-mailbox'));
    expect(mx.lines().filter((line) => line.startsWith('RCPT'))).toHaveLength(1);
  });

  it.each<[string, MailScript['rcpt'] & object]>([
    ['450 4.2.0 Greylisted', '450 4.2.0 Greylisted'],
    ['452 4.5.3 Too many recipients', '452 4.5.3 Too many recipients'],
    ['554 5.7.1 Blocked', '554 5.7.1 Blocked'],
    ['a bare 550', '550 No'],
    ['552 5.2.2', '552 5.2.2 Full'],
    ['421', ['421 4.7.0 Enough', close]],
    ['a close', close],
    ['a reset', reset],
    ['no SMTP', 'what?'],
  ] as never)('leaves accept-all open after %s, and the verdict as it was', async (_, reply) => {
    const { observed } = await ask(
      { rcpt: (recipient) => (recipient === impossible ? reply : '250 OK') as never },
      { impossible },
    );
    expect(observed).toEqual(answered('accepted', null));
  });

  it('is awaited until the signal, and the verdict stays', async () => {
    const clock = stopClock();
    const mx = await server({ rcpt: (recipient) => (recipient === impossible ? silence : '250 OK') });
    const observed = client(mx.port).ask(question({ impossible, budgetMs: 250 }));
    await mx.whenSent(/^RCPT/, 2);
    await clock.advance(249);
    expect(await isPending(observed)).toBe(true);
    await clock.advance(1);
    expect(await observed).toEqual(answered('accepted', null));
  });

  it('leaves accept-all open when MAIL or RSET is refused the second time', async () => {
    expect((await ask({ mailboxes, rset: '500 What?' }, { impossible })).observed).toEqual(
      answered('accepted'),
    );
    expect((await ask({ mailboxes, rset: close }, { impossible })).observed).toEqual(answered('accepted'));
  });

  it('uses a separate connection if the provider needs that', async () => {
    const organisation = { id: 'microsoft', probesApart: true };
    const { observed, mx } = await ask({ mailboxes }, { impossible, organisation });
    expect(observed).toEqual(answered('accepted', false));
    expect(mx.lines(1)).toContain('RCPT TO:<jane@acme.example>');
    expect(mx.lines(2)).toContain(`RCPT TO:<${impossible}>`);
    expect(mx.lines().filter((line) => line === 'QUIT')).toHaveLength(2);
  });

  it('waits for the end of the first connection if only one is allowed', async () => {
    const organisation = { id: 'microsoft', probesApart: true, limits: { connections: 1 } };
    const { observed, mx } = await ask({ mailboxes }, { impossible, organisation });
    expect(observed).toEqual(answered('accepted', false));
    expect(mx.connections).toBe(2);
    expect(mx.maxParallel).toBe(1);
  });

  it('uses a new connection when the first one has had its recipients', async () => {
    const organisation = { id: 'mx.test', limits: { recipientsPerConnection: 1 } };
    const { observed, mx } = await ask({ mailboxes }, { impossible, organisation });
    expect(observed).toEqual(answered('accepted', false));
    expect(mx.connections).toBe(2);
  });

  it('leaves accept-all open when pacing holds it back', async () => {
    const organisation = { id: 'microsoft', probesApart: true };
    const pacing = countingPacing({ inAll: 1 });
    const { observed } = await ask({ mailboxes }, { impossible, organisation }, { pacing });
    expect(observed).toEqual(answered('accepted', null));
  });
});

it('comes from the same source address again, so that a greylist lets it pass', async () => {
  const mx = await server({ greylist: true });
  const options = { localAddresses: ['127.0.0.2', '127.0.0.3', '127.0.0.4'] };
  for (const name of ['ann', 'bob', 'cat', 'dan', 'eve', 'fay']) {
    const recipient = `${name}@acme.example`;
    expect(await client(mx.port, options).ask(question({ recipient }))).toEqual(answered('temporary'));
    expect(await client(mx.port, options).ask(question({ recipient }))).toEqual(answered('accepted'));
  }
  expect(new Set(mx.clients).size).toBeGreaterThan(1);
});
