import { expect, it } from 'vitest';
import { ehlo, helo, mailFrom, needsSmtpUtf8, rcptTo } from '../../../src/engine/smtp/commands.ts';

it.each([
  ['a greeting', ehlo('verify.example'), 'EHLO verify.example'],
  ['the old greeting', helo('verify.example'), 'HELO verify.example'],
  ['an address literal', ehlo('[192.0.2.1]'), 'EHLO [192.0.2.1]'],
  ['a sender', mailFrom('probe@verify.example', false), 'MAIL FROM:<probe@verify.example>'],
  ['the null sender', mailFrom('', false), 'MAIL FROM:<>'],
  ['a sender and SMTPUTF8', mailFrom('a@b.example', true), 'MAIL FROM:<a@b.example> SMTPUTF8'],
  ['a recipient', rcptTo('jane@acme.example'), 'RCPT TO:<jane@acme.example>'],
  ['a quoted local part', rcptTo('"jane doe"@acme.example'), 'RCPT TO:<"jane doe"@acme.example>'],
  ['brackets in quotes', rcptTo('"a>b\\" <c"@acme.example'), 'RCPT TO:<"a>b\\" <c"@acme.example>'],
  ['characters beyond ASCII', rcptTo('jürgen@acme.example'), 'RCPT TO:<jürgen@acme.example>'],
])('makes %s', (_, command, expected) => {
  expect(command).toBe(expected);
});

it.each([
  'jane@acme.example\r\nDATA',
  'jane@acme.example\nDATA',
  'jane@acme.example\rDATA',
  '"jane\r\nDATA"@acme.example',
  '"jane\0"@acme.example',
  'jane\x85doe@acme.example',
  'jane@acme.example> NOTIFY=NEVER',
  '"jane"> X=<"@acme.example',
  'jane@acme.example>',
  '<jane@acme.example',
  `${'x'.repeat(1000)}@acme.example`,
])('refuses to make a command of %j', (address) => {
  expect(() => rcptTo(address)).toThrow();
  expect(() => mailFrom(address, false)).toThrow();
});

it.each(['', 'verify.example\r\nQUIT', 'verify example'])('refuses to greet as %j', (name) => {
  expect(() => ehlo(name)).toThrow();
  expect(() => helo(name)).toThrow();
});

it('does not quote an address in the error', () => {
  expect(() => rcptTo('jane doe@acme.example')).toThrow(/^((?!jane).)*$/);
});

it.each([
  ['jane@acme.example', false],
  ['jane@xn--bcher-kva.example', false],
  ['jürgen@acme.example', true],
  ['jane@bücher.example', true],
])('knows whether %s needs SMTPUTF8', (address, expected) => {
  expect(needsSmtpUtf8(address)).toBe(expected);
});
