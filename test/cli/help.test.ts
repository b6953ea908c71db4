import { expect, it } from 'vitest';
import { helpText } from '../../src/cli/help.ts';
import { SAMPLE } from './sample-commands.ts';

it('describes a command with its flags and an example', () => {
  expect(helpText(SAMPLE.slice(0, 2), false)).toBe(
    `shop open --email EMAIL [--amount N] [--name NAME] [--item ITEM]… [--password-file FILE] [--now]
    Opens a shop.
    --email EMAIL         Required. The owner.
    --amount N            How many.
    --name NAME           What it is called.
    --item ITEM           Repeatable. What it sells.
    --password-file FILE  The password.
    --now                 At once.
    Example: npm run --silent admin -- --config service.json shop open --email ada@example.com

shop close --email EMAIL --yes
    Closes a shop.
    --email EMAIL  Required. The owner.
    --yes          Required. Confirms it.
    Example: npm run --silent admin -- --config service.json shop close --email ada@example.com --yes
`,
  );
});

it('introduces --config, --help and the exit codes when it describes all commands', () => {
  const text = helpText(SAMPLE, true);
  for (const part of ['--config FILE', '--help, -h', 'DATABASE_URL', 'Exit codes: 0 ', 'weather']) {
    expect(text).toContain(part);
  }
});

it('breaks long lines between words, but never between a flag and its value', () => {
  const description = 'word '.repeat(60).trim();
  const flag = { placeholder: 'VALUE', description, times: 'optional', read: String } as const;
  const flags = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`flag-${index}`, flag]));
  const command = { words: ['long'], description, flags, example: 'long', run: async () => null };
  const lines = helpText([command], false).split('\n');
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(100);
  expect(lines.filter((line) => /^ *VALUE/.test(line) || /--flag-\d+$/.test(line))).toEqual([]);
});
