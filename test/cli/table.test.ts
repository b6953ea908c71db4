import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands/table.ts';
import { parseCommandLine } from '../../src/cli/parse.ts';

it('has all commands of the service', () => {
  expect(COMMANDS.map(({ words }) => words.join(' '))).toEqual([
    'account create',
    'account add-credits',
    'account limits',
    'account password',
    'account list',
    'account show',
    'account rename',
    'account members list',
    'account members add',
    'account members set-role',
    'account members remove',
    'account delete',
    'person list',
    'person show',
    'person password',
    'person reset-second-factor',
    'person end-sessions',
    'person sign-in-link',
    'person unlink',
    'person delete',
    'key create',
    'key list',
    'key update',
    'key roll',
    'key revoke',
    'batch list',
    'batch show',
    'batch pause',
    'batch resume',
    'batch stop',
    'batch send-callback',
    'batch delete',
    'payment list',
    'payment show',
    'domain show',
    'domain forget',
    'jobs',
    'app create',
    'app list',
    'app delete',
    'proof-key list',
    'proof-key roll',
    'secrets reseal',
    'migrate',
    'backup',
    'restore',
    'copy',
    'status',
    'audit-books',
    'doctor',
    'lists update',
    'survey',
  ]);
});

describe.each(COMMANDS.map((command) => [command.words.join(' '), command] as const))('%s', (_, command) => {
  it('has an example that the parser accepts', () => {
    const parameters = command.example.match(/"[^"]*"|\S+/g)!.map((part) => part.replaceAll('"', ''));
    const wish = parseCommandLine(parameters, COMMANDS, () => 'correct horse\n');
    expect(wish).toMatchObject({ kind: 'run', command });
  });

  it('describes itself and its flags in whole sentences', () => {
    for (const { description } of [command, ...Object.values(command.flags)]) {
      expect(description).toMatch(/^[A-Z].*\.$/);
    }
  });

  it('takes no password on the command line', () => {
    for (const [name, { placeholder }] of Object.entries(command.flags)) {
      if (/password|secret/.test(name)) expect(placeholder).toBe('FILE');
    }
  });
});
