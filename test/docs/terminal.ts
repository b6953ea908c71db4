/** Runs the commands of a page as a reader does: each as it stands there, but for what a reader replaces. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { listening } from '../service/support/service-process.ts';
import { BLOCKS } from './blocks.ts';

const run = promisify(execFile);
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

/** The commands under a heading, one line each. */
export const shellCommands = (file: string, heading: string): string[] =>
  BLOCKS.filter((block) => block.file === file && block.heading === heading)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ code }) => code.split('\n').filter(Boolean));

/** What is behind a script of the package, without the look at whether the build is fresh. */
function withoutNpm(command: string): string {
  const [, name = 'start', rest = ''] = /^npm (?:run --silent (\w+)|start) -- (.*)$/.exec(command) ?? [];
  return command.startsWith('npm') ? `${scripts[name]!.split('exec ')[1]} ${rest}` : command;
}

/** Replaces what a reader would, and stands for a terminal. */
export function createTerminal() {
  const values = new Map<string, string>();
  const fill = (command: string) =>
    [...values].reduce((text, [name, value]) => text.replaceAll(name, value), withoutNpm(command));
  return {
    set: (name: string, value: string) => void values.set(name, value),
    /** @returns what the command prints */
    async run(command: string): Promise<string> {
      const { stdout } = await run('bash', ['-c', fill(command)], { maxBuffer: 1 << 24 });
      return stdout;
    },
    /** For commands that go on until they have printed this, and longer. */
    start: (command: string, pattern: RegExp) =>
      listening('bash', ['-c', `exec ${fill(command)}`], { pattern }),
  };
}

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  return port;
}
