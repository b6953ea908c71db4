import { expect, it } from 'vitest';
import { mailHostOf } from '../../../src/engine/facts/smtp-provider.ts';

it.each([
  ['gmail.com', 'google', 'gmail-smtp-in.l.google.com'],
  ['hotmail.co.uk', 'microsoft', 'outlook-com.olc.protection.outlook.com'],
  ['yahoo.fr', 'yahoo', 'mta5.am0.yahoodns.net'],
  ['icloud.com', 'apple', 'mx01.mail.icloud.com'],
  ['proton.me', 'protonmail', 'mail.protonmail.ch'],
])('the mail of %s is run by %s', (domain, provider, mxRecord) => {
  expect(mailHostOf(domain)).toMatchObject({ provider, mxRecord });
});

it.each(['company.example', 'gmail.com.company.example', 'notgmail.com'])(
  'nobody is known to run the mail of %s',
  (domain) => {
    expect(mailHostOf(domain)).toEqual({ provider: null, mxRecord: `mx.${domain}` });
  },
);
