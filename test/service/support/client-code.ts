/** Runs code in the languages of the API page, if their interpreters are installed. */
import { execFile, spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { listenOnLoopback } from '../../loopback.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

interface Interpreter {
  readonly file: string;
  /** The command that runs the file, and one that tells whether it is installed. */
  readonly run: readonly string[];
  readonly probe: readonly string[];
}

/** By the id of the language. */
export const INTERPRETERS: Readonly<Record<string, Interpreter>> = {
  sh: { file: 'code.sh', run: ['bash'], probe: ['curl', '--version'] },
  js: { file: 'code.mjs', run: [process.execPath], probe: [process.execPath, '--version'] },
  python: { file: 'code.py', run: ['python3'], probe: ['python3', '--version'] },
  php: { file: 'code.php', run: ['php'], probe: ['php', '--version'] },
  go: { file: 'code.go', run: ['go', 'run'], probe: ['go', 'version'] },
  ruby: { file: 'code.rb', run: ['ruby'], probe: ['ruby', '--version'] },
};

/** Whether the command runs. */
export const canRun = ([command = '', ...words]: readonly string[]): boolean =>
  spawnSync(command, words, { stdio: 'ignore' }).status === 0;

/** What a program prints, and how it ends. */
export interface Ended {
  readonly exitCode: number;
  readonly printed: string;
}

export function runCode(language: string, code: string): Promise<Ended> {
  const { file, run } = INTERPRETERS[language]!;
  const folder = makeTemporaryFolder('client-code-');
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, file);
  writeFileSync(path, code);
  const [command = '', ...words] = run;
  return new Promise((done) => {
    execFile(command, [...words, path], (error, stdout, stderr) => {
      done({ exitCode: error === null ? 0 : Number(error.code), printed: `${stdout}\n${stderr}` });
    });
  });
}

/** Starts a server that answers with these statuses in turn, the last one for ever. */
export async function answerWith(...statuses: number[]) {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    const status = statuses.length > 1 ? statuses.shift()! : statuses[0]!;
    const body = status === 200 ? { state: 'deliverable' } : { message: `because of ${status}` };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  return { url: `http://127.0.0.1:${await listenOnLoopback(server)}`, asked };
}
