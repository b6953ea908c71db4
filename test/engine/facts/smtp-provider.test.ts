import { expect, it } from 'vitest';
import { mailHostOf } from '../../../src/engine/facts/smtp-provider.ts';

it.each([
  ['gmail.com', 'google', 'gmail-smtp-in.l.google.com'],
  ['hotmail.co.uk', 'microsoft', 'outlook-com.olc.protection.outlook.com'],
  ['yahoo.fr', 'yahoo', 'mta5.am0.yahoodns.net'],
  ['icloud.com', 'apple', 'mx01.mail.icloud.com'],
  ['proton.me', 'protonmail', 'mail.protonmail.ch'],
])('names who runs the mail of %s: %s', (domain, provider, mxRecord) => {
  expect(mailHostOf(domain)).toMatchObject({ provider, mxRecord });
});

it.each(['company.example', 'gmail.com.company.example', 'notgmail.com'])(
  'names nobody for the mail of %s',
  (domain) => {
    expect(mailHostOf(domain)).toEqual({ provider: null, mxRecord: `mx.${domain}` });
  },
);
