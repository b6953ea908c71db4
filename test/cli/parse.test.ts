import { describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../src/cli/parse.ts';
import { UsageError } from '../../src/service/core/usage-error.ts';
import { messageOf } from '../message-of.ts';
import { SAMPLE } from './sample-commands.ts';

const FILES: Readonly<Record<string, string>> = {
  good: 'correct horse\n',
  windows: 'correct horse\r\n',
  bare: 'correct horse',
  marked: '\uFEFFcorrect horse',
  empty: '',
  'only-a-break': '\n',
  short: 'seven77\n',
  long: 'x'.repeat(21),
  lines: 'correct\nhorse\n',
  // What reading as UTF-8 makes of other encodings.
  'latin-1': 'corr\uFFFDct horse\n',
  'utf-16': '\uFFFD\uFFFDc\0o\0r\0r\0e\0c\0t\0',
};

function readFile(path: string): string {
  const contents = FILES[path];
  if (contents === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
  return contents;
}

const parse = (parameters: readonly string[]) => parseCommandLine(parameters, SAMPLE, readFile);

/** The error message for a command line. */
const refusal = (parameters: readonly string[]) => messageOf(() => parse(parameters), UsageError);

const OPEN = ['shop', 'open', '--email', 'ada@example.com'];

describe('reads', () => {
  it.each([
    ['before the command', ['--config', 'c.json', ...OPEN]],
    ['after the command', [...OPEN, '--config', 'c.json']],
    ['between its words', ['shop', '--config=c.json', 'open', '--email=ada@example.com']],
    ['after the other flags', ['--email', 'ada@example.com', 'shop', 'open', '--config', 'c.json']],
  ])('--config %s', (_, parameters) => {
    expect(parse(parameters)).toMatchObject({
      kind: 'run',
      command: { words: ['shop', 'open'] },
      config: 'c.json',
      values: { email: 'ada@example.com' },
    });
  });

  it('flags in any order, with a space or an equals sign', () => {
    const values = { email: 'ada@example.com', amount: 7, name: 'A=B', now: true };
    expect(parse(['shop', 'open', '--name=A=B', '--now', '--amount', '7', ...OPEN.slice(2)])).toMatchObject({
      values,
    });
    expect(parse(['--amount=7', ...OPEN, '--now', '--name', 'A=B'])).toMatchObject({ values });
  });

  it('a negative number as a value', () => {
    expect(parse([...OPEN, '--amount', '-5'])).toMatchObject({ values: { amount: -5 } });
    expect(parse([...OPEN, '--amount=-5'])).toMatchObject({ values: { amount: -5 } });
  });

  it('every value of a repeatable flag, in order', () => {
    expect(parse([...OPEN, '--item', 'tea', '--item=milk'])).toMatchObject({
      values: { item: ['tea', 'milk'] },
    });
    expect(parse(OPEN)).toMatchObject({ values: { item: [] } });
  });

  it('a command of one word without flags', () => {
    expect(parse(['weather'])).toMatchObject({ command: { words: ['weather'] }, config: undefined });
  });

  it.each(['good', 'windows', 'bare', 'marked'])(
    'a secret without the line break of the file (%s)',
    (path) => {
      expect(parse([...OPEN, '--password-file', path])).toMatchObject({
        values: { 'password-file': 'correct horse' },
      });
    },
  );
});

describe('answers --help', () => {
  it.each([
    ['alone', ['--help'], 3],
    ['as -h', ['-h'], 3],
    ['with a command', ['shop', 'close', '--help'], 1],
    ['between the words', ['shop', '--help', 'close'], 2],
    ['with the first word of several commands', ['shop', '-h'], 2],
    ['with an unknown command', ['frobnicate', '--help'], 3],
    ['after a flag that lacks its value', ['weather', '--email', '--help'], 1],
    ['with wrong flags', ['shop', 'close', '--bogus', '--help'], 1],
  ])('%s', (_, parameters, count) => {
    const wish = parse(parameters);
    expect(wish.kind === 'help' && wish.commands.length).toBe(count);
  });

  it('but reads a value that follows an equals sign', () => {
    expect(parse([...OPEN, '--name=-h'])).toMatchObject({ values: { name: '-h' } });
  });
});

describe('refuses', () => {
  it.each([
    [[], 'Expected a command, got none.'],
    [['--config', 'c.json'], 'Expected a command, got none.'],
    [['shop'], 'Expected a command, got "shop".'],
    [['shop', 'burn'], 'Expected a command, got "shop burn".'],
    [['constructor'], 'Expected a command, got "constructor".'],
    [[...OPEN, 'quickly'], 'Expected only flags after "shop open", got "quickly".'],
    [[...OPEN, '--bogus', '1'], 'Expected a flag of the admin command, got "--bogus".'],
    [[...OPEN, '--bogus=1'], 'got "--bogus".'],
    [[...OPEN, '--constructor', '1'], 'got "--constructor".'],
    [[...OPEN, '-e', '1'], 'got "-e".'],
    [[...OPEN, '--yes'], 'Expected a flag of "shop open", got --yes.'],
    [['weather', '--email', 'ada@example.com'], 'Expected a flag of "weather", got --email.'],
    [[...OPEN, '--amount'], 'Expected a value after --amount, got nothing.'],
    [[...OPEN, '--amount='], 'Expected a value after --amount, got nothing.'],
    [[...OPEN, '--name', ''], 'Expected a value after --name, got nothing.'],
    [[...OPEN, '--amount', '--now'], 'Expected a value after --amount, got nothing.'],
    [[...OPEN, '--config'], 'Expected a value after --config, got nothing.'],
    [[...OPEN, '--now=yes'], 'Expected --now without a value, got one.'],
    [[...OPEN, '--amount', '1', '--amount', '2'], 'Expected --amount once, got it 2 times.'],
    [['--config', 'a', ...OPEN, '--config', 'b'], 'Expected --config once, got it 2 times.'],
    [['shop', 'open'], 'Expected --email EMAIL, got none. Add it to "shop open".'],
    [['shop', 'close', '--email', 'ada@example.com'], 'Expected --yes, got none.'],
    [
      ['shop', 'open', '--email', 'ada'],
      'Expected --email to be an email address such as ada@example.com, got "ada".',
    ],
    [[...OPEN, '--amount', '11'], 'Expected --amount to be a whole number from -10 to 10, got "11".'],
    [[...OPEN, '--amount', '1.5'], 'got "1.5".'],
    [[...OPEN, '--amount', '1e1'], 'got "1e1".'],
    [[...OPEN, '--amount', ' 1'], 'got " 1".'],
    [[...OPEN, '--amount', '+1'], 'got "+1".'],
    [[...OPEN, '--amount', '0x1'], 'got "0x1".'],
    [[...OPEN, '--amount', '٣'], 'Expected --amount'],
    [[...OPEN, '--name', 'x'.repeat(201)], 'Expected --name to have at most 200 characters, got 201.'],
    [[...OPEN, '--amount', '0', '--now'], 'Expected --amount other than 0 with --now.'],
    [
      [...OPEN, '--password-file', 'nowhere'],
      'Expected a readable file after --password-file, got "nowhere" (ENOENT).',
    ],
    [[...OPEN, '--password-file', 'empty'], 'in the file of --password-file, got an empty file.'],
    [[...OPEN, '--password-file', 'only-a-break'], 'got an empty file.'],
    [
      [...OPEN, '--password-file', 'short'],
      'Expected one line of 8 to 20 characters in the file of --password-file, got fewer.',
    ],
    [[...OPEN, '--password-file', 'long'], 'got more.'],
    [[...OPEN, '--password-file', 'lines'], 'got several lines.'],
    [[...OPEN, '--password-file', 'latin-1'], 'got a file that is not UTF-8.'],
    [[...OPEN, '--password-file', 'utf-16'], 'got a file that is not UTF-8.'],
  ])('%j', (parameters, message) => {
    expect(refusal(parameters)).toContain(message);
  });

  it('in one line of at most 300 characters, whatever was typed', () => {
    const long = `a\nb\u0007${'x'.repeat(5000)}`;
    for (const parameters of [
      [long],
      [...OPEN, long],
      [...OPEN, `--${long}`],
      ['shop', 'open', '--email', long],
      [...OPEN, '--password-file', long],
    ]) {
      const message = refusal(parameters);
      expect(message.length).toBeLessThanOrEqual(300);
      expect(message).not.toMatch(/\p{Cc}/u);
    }
  });

  it('without quoting a secret', () => {
    expect(refusal([...OPEN, '--password=hunter2'])).not.toContain('hunter2');
    expect(refusal([...OPEN, '--password', 'hunter2'])).not.toContain('hunter2');
    expect(refusal([...OPEN, '--password-file', 'short'])).not.toContain('seven77');
    expect(refusal([...OPEN, 'live_0123456789'])).not.toContain('0123456789');
  });
});
