/** What the command line prints without a database, within the test's process. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands/table.ts';
import { runCommandLine } from '../../src/cli/run.ts';

const run = (parameters: string[]) =>
  runCommandLine(parameters, { environment: {}, readFile: (path) => readFileSync(path, 'utf8') });

describe('--help', () => {
  it('prints every command with its flags and example, without a config file', async () => {
    const { exitCode, output, error } = await run(['--help']);
    expect([exitCode, error]).toEqual([0, '']);
    for (const { words, flags, example } of COMMANDS) {
      expect(output).toContain(`\n${words.join(' ')}`);
      expect(output).toContain(` ${example}\n`);
      for (const name of Object.keys(flags)) expect(output).toContain(`    --${name}`);
    }
  });

  it('prints one command', async () => {
    const { output } = await run(['account', 'create', '--help']);
    expect(output).toMatch(/^account create --email EMAIL/);
    expect(output).not.toContain('key create');
  });
});

describe('a wrong command line', () => {
  it.each([
    [[], 'command'],
    [['account', 'rename'], 'account rename'],
    [['account', 'create', '--bogus'], '--bogus'],
    [['account', 'show', '--email', 'x', '--config', 'nowhere.json'], '"x"'],
    [['account', 'list', '--config', 'nowhere.json'], 'nowhere.json'],
    [['account', 'list'], '--config'],
  ])('%j ends with exit code 2 and one line', async (parameters, named) => {
    const { exitCode, output, error } = await run(parameters);
    expect([exitCode, output]).toEqual([2, '']);
    expect(error).toMatch(/^Expected .{1,290}\n$/);
    expect(error).toContain(named);
  });
});
