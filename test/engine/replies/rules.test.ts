/** Every rule by the name that the evidence shows. Operators and support read it. */
import { describe, expect, it } from 'vitest';
import { read } from './samples.ts';

/** A word that no list has. */
const X = 'xyzzy';

it.each([
  ['250 ok', 'accepted', 'accepted'],
  ['300 ok', 'temporary', 'temporary: temporary code'],
  [`450 ${X}`, 'temporary', 'temporary: temporary code'],
  [`550 ${X}`, 'refused', 'refused: no known words'],
  ['450 4.2.0 Greylisted, try again later', 'temporary', 'temporary: to be tried again'],
  ['550 internal error', 'refused', 'refused: fault'],
  ['452 4.3.1 Insufficient system storage', 'temporary', 'temporary: server full'],
  ['550 no such user: probe@verify.example', 'about-us', 'about us: sender'],
  [`550 5.1.7 ${X}`, 'about-us', 'about us: sender, x.1.7'],
  [`550 5.1.8 ${X}`, 'about-us', 'about us: sender, x.1.8'],
  [`550 5.7.27 ${X}`, 'about-us', 'about us: sender, x.7.27'],
  [`550 5.7.9 ${X}`, 'about-us', 'about us: policy, x.7.9'],
  ['550 5.4.7 Recipient address rejected: Access denied', 'about-us', 'about us: policy'],
  [`550 5.6.7 ${X}`, 'unsupported-address', 'unsupported address: SMTPUTF8'],
  ['552 mailbox full', 'mailbox-full', 'mailbox full: words'],
  [`552 5.2.2 ${X}`, 'mailbox-full', 'mailbox full: x.2.2'],
  ['550 5.4.1 Recipient address rejected: Access denied', 'no-such-mailbox', 'no such mailbox: Microsoft'],
  // What a provider means by a text with a 5xx, it does not say with a 4xx.
  ['450 4.4.1 Recipient address rejected: Access denied', 'about-us', 'about us: policy'],
  ['500 5.7.1 no such user', 'no-such-mailbox', 'no such mailbox: Yandex'],
  [`550 5.1.1 ${X}`, 'no-such-mailbox', 'no such mailbox: x.1.1'],
  [`550 4.1.1 ${X}`, 'no-such-mailbox', 'no such mailbox: x.1.1'],
  [`550 5.2.1 ${X}`, 'no-such-mailbox', 'no such mailbox: x.2.1'],
  // The code that says "for good" is 5.2.1, and the providers' codes have that class too.
  ['550 4.2.1 Please contact your postmaster', 'refused', 'refused: no known words'],
  ['550 4.4.1 Recipient address rejected: Access denied', 'about-us', 'about us: policy'],
  ['550 4.7.1 no such user', 'about-us', 'about us: policy, x.7.1'],
  ['450 4.1.1 user unknown', 'temporary', 'temporary: temporary code'],
  ['550 no such address here (MX do not point to us)', 'about-us', 'about us: relaying'],
  ['500 unrecognized command', 'refused', 'refused: fault'],
  ['550 user unknown', 'no-such-mailbox', 'no such mailbox: words'],
])('takes %s for %s by the rule "%s"', (reply, meaning, rule) => {
  expect(read(reply)).toEqual({ meaning, rule, slowDown: false });
});

describe('the server asks for fewer conversations', () => {
  it('when it names a block list', () => {
    expect(read('550 blocked using zen.spamhaus.org')).toEqual({
      meaning: 'about-us',
      rule: 'about us: block list',
      slowDown: true,
    });
  });

  it('when it names a block list, and calls the block greylisting', () => {
    expect(read('550 5.7.1 Service unavailable; blocked using zen.spamhaus.org; greylisting')).toEqual({
      meaning: 'refused',
      rule: 'refused: to be tried again',
      slowDown: true,
    });
    expect(read('450 4.7.1 Blocked by greylisting').slowDown).toBe(false);
    expect(read('450 4.2.1 The recipient has exceeded message rate limit').slowDown).toBe(false);
  });

  it('when it has forgotten our commands', () => {
    expect(read('503 5.5.1 Error: need MAIL command')).toEqual({
      meaning: 'about-us',
      rule: 'about us: late refusal',
      slowDown: true,
    });
  });

  it('when it counts messages, and no mailbox is full', () => {
    expect(read('550 5.4.6 Recipient address rejected: Recipient Quota Exceeded;')).toEqual({
      meaning: 'about-us',
      rule: 'about us: rate, x.4.6',
      slowDown: true,
    });
    expect(read('550 5.2.2 Recipient Quota Exceeded').meaning).toBe('mailbox-full');
  });

  it('when it closes with 421', () => {
    expect(read(`421 ${X}`)).toEqual({
      meaning: 'temporary',
      rule: 'temporary: temporary code',
      slowDown: true,
    });
  });
});
