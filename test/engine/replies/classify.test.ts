import { describe, expect, it } from 'vitest';
import type { ReplyStage } from '../../../src/engine/replies/reply.ts';
import { read } from './samples.ts';

describe('the stage', () => {
  const TALK: readonly ReplyStage[] = ['banner', 'ehlo', 'starttls', 'mail'];

  it.each(TALK)('%s never says anything about the mailbox', (stage) => {
    const texts = ['5.1.1 User unknown', '5.2.2 Mailbox full', '5.6.7 SMTPUTF8 required', '5.2.1 disabled'];
    for (const text of texts)
      expect(['about-us', 'refused']).toContain(read(`550 ${text}`, { stage }).meaning);
    expect(read('450 4.1.1 User unknown', { stage }).meaning).toBe('temporary');
  });

  it.each(['rcpt', 'probe'] as const)('%s says something about the mailbox', (stage) => {
    expect(read('550 5.1.1 User unknown', { stage }).meaning).toBe('no-such-mailbox');
  });

  it('makes a refused MAIL FROM about us', () => {
    expect(read('550 Requested action not taken', { stage: 'mail' })).toEqual({
      meaning: 'about-us',
      rule: 'about us: sender',
      slowDown: false,
    });
  });
});

describe('2xx and 3xx', () => {
  it.each([250, 251])('%i is accepted, whatever is said', (code) => {
    expect(read(`${code} User unknown, will forward`).meaning).toBe('accepted');
  });

  it.each([200, 211, 214, 235, 252, 299])('%i does not accept a recipient', (code) => {
    for (const stage of ['rcpt', 'probe'] as const) {
      expect(read(`${code} Cannot verify the user, but will try`, { stage })).toEqual({
        meaning: 'refused',
        rule: 'refused: not an acceptance',
        slowDown: false,
      });
    }
    expect(read(`${code} ok`, { stage: 'mail' }).meaning).toBe('accepted');
  });

  it('354 to a RCPT says nothing', () => {
    expect(read('354 go ahead').meaning).toBe('temporary');
  });
});

describe('words about us win over any code', () => {
  it.each([
    '550 5.1.1 <jane.roe@company.example>: Too many invalid recipients from your IP',
    '550 5.2.1 Mailbox unavailable. Your IP address 192.0.2.1 is blacklisted using sbl.example',
    '550 5.1.1 Relaying denied',
    '553 5.1.2 we do not relay',
    '550-Verification failed for <probe@verify.example>\n550-No Such User Here\n550 Sender verify failed',
    '550 sender verify failed: 550 5.1.1 no such user',
    '550 5.1.1 Access denied, no reverse DNS',
    '450 4.1.1 Helo command rejected: Host not found',
    '550 User unknown in country that we accept mail from, see our policy',
    '501 5.1.3 Bad address syntax: authentication required',
    // About the address that the reply names: the sender.
    '550 5.1.1 <probe@verify.example>: no such user',
    '550 #5.1.0 Address rejected PROBE@verify.example',
    '550 5.1.3 probe@verify.example is not a valid mailbox',
    '550 5.1.1 Recipient address rejected: Domain verify.example does not exist',
    '550 You must subscribe to post to this list; address unknown',
    '550 5.1.1 Protocol error',
    '550 5.1.1 Ihre IP-Adresse 192.0.2.1 steht auf einer Sperrliste',
    '550 5.1.1 Your access to submit messages to this system has been rejected.',
    '550 5.1.1 max number of nonexistent recipients reached from this host',
    '550 5.1.1 Recipients not found limit reached, disconnecting',
    "550 5.1.1 This message was rejected by the recipient's rules",
    '550 5.1.1 <jane.roe@company.example>: Mailinglist is closed',
    '550 Your email account does not exist',
    '550 Ihre Adresse existiert nicht',
    "550 Votre adresse n'existe pas",
    '550 Su dirección no existe',
    "550 Adresse de l'expéditeur invalide",
    '550 Reverse-path address does not exist',
    '550 invalid user name or password',
    // "IB607": the sender's connections, although the code is that of an unknown mailbox.
    '550 5.1.1 Connection refused. 192.0.2.1 has exceeded the maximum number of unknown recipients IB607',
  ])('%s', (reply) => {
    expect(read(reply).meaning).toBe('about-us');
  });

  it.each([
    '550 5.1.1 <jane.roe@company.example>: Recipient address rejected: User unknown in relay recipient table',
    '550 5.1.1 User unknown; rejected by relay recipient map',
  ])('but not if the relay only looks up the mailbox: %s', (reply) => {
    expect(read(reply).meaning).toBe('no-such-mailbox');
  });

  it.each([
    ['550 blocked using zen.spamhaus.org', true],
    ['550 poor reputation', true],
    ['450 4.7.1 too many connections', true],
    ['450 rate limit exceeded', true],
    ['421 4.7.0 try again later', true],
    ['421 anything', true],
    ['550 5.7.1 relaying denied', false],
    ['550 5.1.1 user unknown', false],
    ['451 4.7.1 greylisted', false],
  ])('%s: slow down is %s', (reply, slowDown) => {
    expect(read(reply).slowDown).toBe(slowDown);
  });

  it.each([
    ['x.1.7', '550 5.1.7 Invalid address'],
    ['x.1.8', '550 5.1.8 Bad address'],
    ['x.7.27', '550 5.7.27 no such user'],
  ])('%s is the sender', (_, reply) => {
    expect(read(reply).meaning).toBe('about-us');
  });
});

describe('an echo does not decide', () => {
  it.each([
    'alice@unblocked.example',
    'full@company.example',
    'unknown@company.example',
    'spam@blacklist.example',
    'quota.exceeded@mailbox-full.example',
    '"over quota"@company.example',
    'sender@company.example',
    'relay@relaying-denied.example',
    'try-again-later@greylisted.example',
    'a$&|.*+(b@company.example',
    'postmaster@[192.0.2.1]',
  ])('%s', (recipient) => {
    const words = { recipient, mailHost: 'mx.blocked.example' };
    expect(read(`550 5.1.1 <${recipient}>: User unknown`, words).meaning).toBe('no-such-mailbox');
    expect(read(`550 ${recipient.toUpperCase()} no such user`, words).meaning).toBe('no-such-mailbox');
    expect(read(`550 mx.blocked.example: no such user`, words).meaning).toBe('no-such-mailbox');
    expect(read(`552 <${recipient}> mailbox full`, words).meaning).toBe('mailbox-full');
    expect(read(`550 <${recipient}> rejected`, words).meaning).toBe('refused');
    expect(read(`450 <${recipient}> wait`, words).meaning).toBe('temporary');
  });

  it('of a bare local part condemns no address', () => {
    const context = { recipient: 'no.such.user@company.example' };
    expect(read('550 no.such.user: rejected', context).meaning).toBe('refused');
    expect(read('550 <no.such.user> rejected', context).meaning).toBe('refused');
  });

  it('of the sender beside the recipient changes nothing', () => {
    const { meaning } = read('550 5.1.1 no such user jane.roe@company.example, from probe@verify.example');
    expect(meaning).toBe('no-such-mailbox');
  });

  it('of an address without a local part changes nothing', () => {
    expect(read('550 5.1.1 <> no such user', { recipient: '' }).meaning).toBe('no-such-mailbox');
    expect(read('550 "" is disabled', { recipient: '@company.example' }).meaning).toBe('refused');
  });

  it('of our own host or its URL does not name a block list', () => {
    const words = { helo: 'spamcop.verify.example', mailHost: 'mx.dnsbl.example' };
    const { meaning } = read('550 spamcop.verify.example mx1.dnsbl.example: no such user', words);
    expect(meaning).toBe('no-such-mailbox');
  });

  it.each(['localhost', 'mx', '', '192.0.2.1'])('of a mail host called "%s" hides no word', (mailHost) => {
    expect(read('550 no such user', { mailHost, helo: mailHost }).meaning).toBe('no-such-mailbox');
  });
});

describe('full comes before unknown', () => {
  it.each([
    '550 5.1.1 Mailbox full, user unknown',
    '550 mailbox is full',
    '452 4.2.2 over quota',
    '450 4.2.2 try again later',
    '552 5.2.2 anything',
    '550 5.7.1 mailbox quota exceeded',
    '422 the recipient mailbox has exceeded its storage limit',
  ])('%s', (reply) => {
    expect(read(reply).meaning).toBe('mailbox-full');
  });

  it.each([
    ['552 5.2.2 organization quota exceeded', 'refused'],
    ['452 4.3.1 Insufficient system storage', 'temporary'],
    ['550 domain quota exceeded', 'refused'],
    ['452 4.2.2 disk full', 'temporary'],
    ['552 5.2.2 Quota of domain company.example exceeded', 'refused'],
    ['552 5.2.2 Company storage pool exhausted', 'refused'],
    ['452 4.2.2 The organization of the recipient is out of storage space', 'temporary'],
  ])('but a shared disk is not the mailbox: %s', (reply, meaning) => {
    expect(read(reply).meaning).toBe(meaning);
  });
});

describe('our own quota is not the mailbox', () => {
  it.each([
    '450 Delayed: sender over quota',
    '550 5.2.2 Sender over quota',
    '550 quota exceeded for sender',
    '550 You have exceeded your quota',
    '452 4.2.2 connection quota exceeded',
  ])('%s', (reply) => {
    expect(read(reply)).toMatchObject({ meaning: 'about-us' });
  });
});

describe('codes that condemn a mailbox', () => {
  it.each(['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10', '5.2.1'])('%s', (code) => {
    expect(read(`550 ${code} no`)).toEqual({
      meaning: 'no-such-mailbox',
      rule: `no such mailbox: x${code.slice(1)}`,
      slowDown: false,
    });
  });

  it.each(Array.from({ length: 78 }, (_, index) => 500 + index))('%i with words', (code) => {
    expect(read(`${code} no such user here`).meaning).toBe('no-such-mailbox');
    expect(read(`${code} no`).meaning).toBe('refused');
  });

  it.each([
    ['550 5.4.1 Recipient address rejected: Access denied. AS(201806281)', 'no-such-mailbox'],
    ['550 5.4.1 Access denied', 'about-us'],
    ['550 5.7.1 Recipient address rejected: Access denied', 'about-us'],
    ['550 5.5.0 Requested action not taken: mailbox unavailable', 'no-such-mailbox'],
    ['550 #5.1.0 Address rejected.', 'no-such-mailbox'],
    ['550 #5.1.0 rejected', 'refused'],
    ['550 5.7.1 No such user!', 'no-such-mailbox'],
    ['550 5.7.1 Message rejected', 'about-us'],
    ['450 4.7.1 No such user!', 'temporary'],
    ['550 5.7.1 Sender verification: no such user', 'about-us'],
    ['550 5.7.1 Sender address rejected: This account has been disabled', 'about-us'],
  ])('%s: %s', (reply, meaning) => {
    expect(read(reply).meaning).toBe(meaning);
  });
});

describe('a 4xx condemns nothing', () => {
  it.each([
    '450 4.1.1 <jane.roe@company.example>: Recipient address rejected: User unknown in virtual mailbox table',
    '450 4.1.1 user unknown',
    '450 5.1.1 user unknown',
    '421 4.1.1 user unknown',
    '450 4.2.1 The mailbox is disabled',
    '450 4.1.2 no such domain',
    '450 no such user',
    '450 4.7.1 No such user!',
    '450 4.6.7 non-ASCII address',
    '399 no such user',
  ])('%s', (reply) => {
    expect(read(reply).meaning).toBe('temporary');
  });

  it('although the words about us and about a full mailbox come first', () => {
    expect(read('450 4.1.1 blocked using zen.spamhaus.org').meaning).toBe('about-us');
    expect(read('452 4.1.1 mailbox full').meaning).toBe('mailbox-full');
    expect(read('450 4.1.8 user unknown').meaning).toBe('about-us');
  });
});

describe('our own command is not a mailbox', () => {
  it.each([
    '500 Command unrecognized: "RCPT TO:<jane.roe@company.example>"',
    '500 "RCPT TO:<jane.roe@company.example>" unrecognized',
    '500 RCPT TO: <jane.roe@company.example> unknown',
    '500 5.5.1 Unrecognized command: RCPT',
    '500 unknown RCPT',
    '500 RCPT not recognized',
    '501 5.5.2 Invalid RCPT TO parameter',
    '501 Invalid RCPT TO',
    '501 Syntax error in parameters or arguments',
    '501 5.1.3 Error in parameters',
    '502 5.5.1 RCPT command not implemented',
    '555 5.5.4 Unsupported option: RCPT parameters not recognized',
    '500 5.1.1 Command unrecognized',
    '501 5.1.1 Invalid RCPT TO command',
    '504 5.5.4 Command parameter not implemented',
    '500 5.5.1 Invalid ESMTP command',
    '550 5.1.1 bad sequence of commands',
  ])('%s', (reply) => {
    expect(read(reply).meaning).toBe('refused');
  });

  it.each([
    '500 no such user',
    '504 mailbox is disabled',
    '550 Rcpt <jane.roe@company.example> does not exist',
    '550 Rcpt <j.roe@elsewhere.example> does not exist',
    '550 RCPT j.roe@elsewhere.example unknown',
    '550 RCPT TO:<jane.roe@company.example> User unknown',
    '550 5.1.1 RCPT TO:<jane.roe@company.example> rejected',
    '552 "RCPT TO" mailbox unavailable',
    '500 5.1.1 Invalid recipient',
    '501 5.1.3 Bad recipient address syntax',
  ])('but not by the code alone: %s', (reply) => {
    expect(read(reply).meaning).toBe('no-such-mailbox');
  });

  it('at MAIL neither', () => {
    expect(read('501 Invalid MAIL FROM parameter', { stage: 'mail' }).meaning).toBe('about-us');
    expect(read('501 Invalid MAIL FROM parameter').meaning).toBe('about-us');
  });
});

describe('a server that has forgotten our commands', () => {
  const LATE = { meaning: 'about-us', rule: 'about us: late refusal', slowDown: true };

  it.each([
    '503 5.5.1 Error: need MAIL command',
    '503 5.5.1 Error: send HELO/EHLO first',
    '503 need RCPT',
    '503 EHLO first',
    '503 Say HELO first.',
    '503 Issue MAIL first',
    '503 Expected MAIL',
    '503 bad sequence: RCPT before MAIL',
    '503 RCPT before MAIL',
    '503 Bad sequence of commands',
    '503 5.5.1 Bad command sequence',
    '503 5.5.1 Command out of sequence',
    '503 5.1.1 Error: need MAIL command',
  ])('refuses us: %s', (reply) => {
    expect(read(reply)).toEqual(LATE);
    expect(read(reply, { stage: 'mail' })).toEqual(LATE);
  });

  it.each(['550', '501', '450'])('and only with 503, not with %s', (code) => {
    expect(read(`${code} need MAIL command`)).toMatchObject({
      slowDown: false,
      rule: expect.stringMatching(/fault$/),
    });
  });

  it.each(['503 5.7.1 no such user', '503 5.5.1 AUTH first', '503 anything else'])(
    'but not by 503 alone: %s',
    (reply) => {
      expect(read(reply).rule).not.toBe(LATE.rule);
      expect(read(reply).slowDown).toBe(false);
    },
  );
});

describe('"mailbox unavailable" before a line about the sender', () => {
  it.each([
    '550-Requested action not taken: mailbox unavailable\n550 invalid DNS MX or A/AAAA resource record',
    '550 Requested action not taken: mailbox unavailable\nInvalid DNS MX or A/AAAA resource record.',
    '550 <jane.roe@company.example>: Requested action not taken: mailbox unavailable invalid DNS MX or A/AAAA resource record',
    '550-Requested action not taken: mailbox unavailable\n550 Sender address is not allowed.',
    '550-Requested action not taken: mailbox unavailable\n550 bad DNS PTR resource record',
    '550-Requested action not taken: mailbox unavailable\n550 Reject due to SPF policy',
  ])('is about us: %s', (reply) => {
    expect(read(reply).meaning).toBe('about-us');
  });

  it.each([
    '550 Requested action not taken: mailbox unavailable',
    '550-Requested action not taken: mailbox unavailable\n550 For explanation visit https://postmaster.gmx.net/en/error-messages',
    '550 <jane.roe@company.example>: Requested action not taken: mailbox unavailable',
  ])('and alone it is about the mailbox: %s', (reply) => {
    expect(read(reply).meaning).toBe('no-such-mailbox');
  });
});

describe('a fault condemns nothing', () => {
  it.each([
    ['550 5.1.1 recipient lookup failed: LDAP server unavailable', 'refused'],
    ['550 temporary failure, no such user', 'refused'],
    ['554 5.4.6 routing loop', 'refused'],
    ['451 user unknown: database error', 'temporary'],
    ['550 unknown error', 'refused'],
    ['550 5.1.1 Upstream error', 'refused'],
    ['550 5.1.1 Error: need MAIL command', 'refused'],
    ['550 5.1.1 undeliverable address: unknown mail transport error', 'refused'],
    ['550 connection timed out while looking for the user', 'refused'],
  ])('%s: %s', (reply, meaning) => {
    expect(read(reply).meaning).toBe(meaning);
  });
});

describe('an address of a kind that the server cannot take', () => {
  it.each([
    '553 5.6.7 anything',
    '550 5.6.7 User unknown',
    '553 non-ASCII address',
    '550 SMTPUTF8 is not supported',
    '501 internationalized addresses are not supported',
  ])('%s', (reply) => {
    expect(read(reply).meaning).toBe('unsupported-address');
  });
});

describe('the spelling', () => {
  it.each([
    '550 USER UNKNOWN',
    '550 User Unknown',
    '550 user   unknown',
    '550 Ｕｓｅｒ　ｕｎｋｎｏｗｎ',
    '550 user\u200bunknown',
  ])('%s', (reply) => {
    expect(read(reply).meaning).toBe('no-such-mailbox');
  });

  it.each([
    '550-5.1.0 The email account that you tried to\n550-5.1.0 reach does not\n550 5.1.0 exist.',
    '550-Requested action not taken: mailbox\n550 unavailable',
    '550-no such\n550 user',
  ])('with a break inside the phrase', (reply) => {
    expect(read(reply).meaning).toBe('no-such-mailbox');
  });

  it('with separate sentences', () => {
    expect(read('550 Message for this user. No more is known.').meaning).toBe('refused');
  });

  it.each([
    ['German', '550 Benutzer unbekannt', '552 Postfach ist voll'],
    ['French', '550 Utilisateur inconnu', '552 boîte aux lettres pleine'],
    ['Spanish', '550 El usuario no existe', '552 buzón lleno'],
    ['Portuguese', '550 Usuário não existe', '552 caixa postal cheia'],
    ['Italian', '550 destinatario sconosciuto', '552 casella piena'],
    ['Polish', '550 Podane konto nie istnieje', '552 skrzynka jest pełna'],
    ['Russian', '550 Пользователь не найден', '552 Почтовый ящик переполнен'],
    ['Chinese', '550 用户不存在', '552 收件人邮箱空间不足'],
    ['Japanese', '550 メールアドレスは存在しません', '552 メールボックスの容量が満杯です'],
  ])('in %s', (_, unknown, full) => {
    expect(read(unknown).meaning).toBe('no-such-mailbox');
    expect(read(full).meaning).toBe('mailbox-full');
  });
});
