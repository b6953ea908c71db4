/** The command line of `check`. */
import { expect, it } from 'vitest';
import { HELP, readArguments } from '../../../src/cli/check/check-arguments.ts';
import { UsageError } from '../../../src/service/core/usage-error.ts';
import { messageOf } from '../../message-of.ts';

const faultOf = (...parameters: string[]) => messageOf(() => readArguments(parameters), UsageError);

it('takes addresses alone', () => {
  expect(readArguments(['ada@example.org', ' bo@example.org '])).toEqual({
    isHelp: false,
    addresses: ['ada@example.org', 'bo@example.org'],
    config: undefined,
    json: false,
    trace: false,
    timeoutMs: 10_000,
    acceptAll: false,
    smtp: true,
    expected: undefined,
    reply: undefined,
  });
});

it('takes every flag, before and after the addresses', () => {
  const flags = ['--config', 'c.json', '--json', '--trace', '--timeout=2', '--accept-all', '--no-smtp'];
  const expected = {
    addresses: ['ada@example.org'],
    config: 'c.json',
    json: true,
    trace: true,
    timeoutMs: 2000,
    acceptAll: true,
    smtp: false,
  };
  expect(readArguments([...flags, 'ada@example.org'])).toMatchObject(expected);
  expect(readArguments(['ada@example.org', ...flags])).toMatchObject(expected);
});

it('takes an address that looks like a flag after two hyphens', () => {
  expect(readArguments(['--', '--odd@example.org']).addresses).toEqual(['--odd@example.org']);
});

it('takes a reply with its lines, which may still have their code', () => {
  expect(readArguments(['--reply', '550', ' 5.1.1 User', '550-unknown\n550 here']).reply).toEqual({
    code: 550,
    lines: [' 5.1.1 User', 'unknown', 'here'],
    stage: 'rcpt',
    host: '',
    recipient: '',
  });
  const flags = ['--stage=mail', '--host', 'mx.example', '--recipient', 'ada@example.org', '--json'];
  expect(readArguments(['--reply', '421', ...flags])).toMatchObject({
    json: true,
    reply: { code: 421, lines: [''], stage: 'mail', host: 'mx.example', recipient: 'ada@example.org' },
  });
  expect(readArguments(['--reply', '42', '--help']).reply).toBeUndefined();
});

it.each([
  ['550 5.1.1 no such user', 550, ['5.1.1 no such user']],
  ['550-no\n550 such', 550, ['no', 'such']],
  [' 451 later', 451, ['later']],
])('takes a whole reply, as a log has it: %j', (reply, code, lines) => {
  expect(readArguments(['--reply', reply]).reply).toMatchObject({ code, lines });
});

it('takes --expected without an address', () => {
  expect(readArguments(['--expected', 'known.csv']).expected).toBe('known.csv');
});

const noCode = (got: string) =>
  `Expected --reply to be a code from 200 to 599, got "${got}". Write --reply 550 "no such user".`;

it.each<[string[], string]>([
  [[], 'Expected at least one address, or --expected FILE. See --help.'],
  [['a@b.c', '--timeout', '1'], 'Expected --timeout to be a whole number from 2 to 10, got "1".'],
  [['a@b.c', '--timeout', '11'], 'Expected --timeout to be a whole number from 2 to 10, got "11".'],
  [['a@b.c', '--timeout', '2.5'], 'Expected --timeout to be a whole number from 2 to 10, got "2.5".'],
  [['a@b.c', '--timeout'], 'Expected a value after --timeout, got nothing. Write --timeout VALUE.'],
  [['a@b.c', '--json', '--json'], 'Expected --json once, got it 2 times. Remove the others.'],
  [['--reply', '42', 'x'], noCode('42')],
  [['--reply', '600'], noCode('600')],
  [['--reply', '5500'], noCode('5500')],
  [
    ['--reply', '550', '--stage', 'data'],
    'Expected --stage to be one of banner, ehlo, mail, rcpt, got "data". Correct it.',
  ],
  [
    ['--reply', '550', '--host', 'not a host'],
    'Expected --host to be the name of a mail server such as mx.example.org, got "not a host". Correct it.',
  ],
  [['a@b.c', '--stage', 'rcpt'], 'Expected --reply CODE with --stage, got none.'],
  [['a@b.c', '--host', 'mx'], 'Expected --reply CODE with --host, got none.'],
  [['a@b.c', '--recipient', 'a@b.c'], 'Expected --reply CODE with --recipient, got none.'],
  [
    ['--reply', '550', '--config', 'c.json'],
    'Expected only --stage, --host, --recipient or --json with --reply, got --config.',
  ],
  [['a@b.c', '--json=yes'], 'Expected --json without a value, got one. Remove what follows the "=".'],
])('refuses %j', (parameters, message) => {
  expect(faultOf(...parameters)).toBe(message);
});

it('names the known flags for an unknown one', () => {
  const message = /^Expected only --config, .*--expected, .*--help, got "--tracing"\.$/;
  expect(faultOf('a@b.c', '--tracing')).toMatch(message);
});

it('describes every flag in its help', () => {
  const flags = ['config', 'timeout', 'accept-all', 'no-smtp', 'json', 'trace', 'expected', 'help'];
  for (const flag of [...flags, 'reply', 'stage', 'host', 'recipient']) expect(HELP).toContain(`--${flag}`);
});
