/** Runs the commands of a page as a reader does: each as it stands there, but for what a reader replaces. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { vi } from 'vitest';
import { runCommandLine } from '../../src/cli/run.ts';
import { listening, type ProcessOptions } from '../service/support/service-process.ts';
import { BLOCKS } from './blocks.ts';

const run = promisify(execFile);
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

/** The commands under a heading, one line each. */
export const shellCommands = (file: string, heading: string): string[] =>
  BLOCKS.filter((block) => block.file === file && block.heading === heading)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ code }) => code.split('\n').filter(Boolean));

/** The words of an admin command that needs no shell. It runs within the test's process, which is much cheaper. */
const ADMIN = /^npm run --silent admin -- ([\w\s./:@-]+)$/;

async function runAdmin(words: string, environment: ProcessOptions['environment'] = {}): Promise<string> {
  const { exitCode, output, error } = await runCommandLine(words.split(' '), {
    environment,
    readFile: (path) => readFileSync(path, 'utf8'),
  });
  if (exitCode !== 0) throw new Error(error);
  return output;
}

/** What is behind a script of the package, without the look at whether the build is fresh. */
export function withoutNpm(command: string): string {
  const [, name = 'start', rest = ''] = /^npm (?:run --silent (\w+)|start) -- (.*)$/.exec(command) ?? [];
  const built = scripts[name]!.split('exec ')[1]!.replace('src/build/start.mjs', 'dist/service/main.js');
  return command.startsWith('npm') ? `${built} ${rest}` : command;
}

export type Terminal = ReturnType<typeof createTerminal>;

/**
 * Replaces what a reader would, and stands for a terminal.
 *
 * @param options of its processes
 */
export function createTerminal(options: ProcessOptions = {}, replaced?: ReadonlyMap<string, string>) {
  const values = new Map(replaced);
  const fill = (command: string) =>
    [...values].reduce((text, [name, value]) => text.replaceAll(name, value), command);
  return {
    set: (name: string, value: string) => void values.set(name, value),
    /** @returns what the command prints. One that comes faster than a reader types is refused, and runs again */
    async run(command: string): Promise<string> {
      const [, admin] = ADMIN.exec(fill(command)) ?? [];
      if (admin !== undefined) return runAdmin(admin, options.environment);
      const env = { ...process.env, ...options.environment };
      const printed = async () => {
        const { stdout } = await run('bash', ['-c', withoutNpm(fill(command))], { env, maxBuffer: 1 << 24 });
        return stdout.includes('Rate Limit Exceeded') ? undefined : { stdout };
      };
      const { stdout } = await vi.waitUntil(printed, { interval: 400 });
      return stdout;
    },
    /** For commands that go on until they have printed this, and longer. */
    start: (command: string, pattern: RegExp) =>
      listening('bash', ['-c', `exec ${withoutNpm(fill(command))}`], { ...options, pattern }),
    /** A terminal that replaces the same, and what is set there. */
    another: (others: ProcessOptions = {}) => createTerminal(others, values),
  };
}
