/** Runs a short program to its end, as another user if needed. */
import { spawn } from 'node:child_process';
import { codeOf } from './advice.ts';

/** A user of the system that is not the one who runs Node. */
export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/** How a program ended. `code` is an exit code, the name of a signal, or the system error that prevented its start. */
export interface Ended {
  readonly code: number | string;
  readonly output: string;
  readonly errors: string;
}

interface CommandOptions {
  /** The user who runs the program. Only root can set it. */
  readonly user?: SystemUser | undefined;
  readonly cwd?: string | undefined;
  /** Text for the program's standard input. */
  readonly input?: string;
  /** An open file that the program inherits as its descriptor 3. */
  readonly inherits?: number | undefined;
}

/** The environment of every program of the database. The rest of Node's may hold secrets, or settings of PostgreSQL. */
export function databaseEnvironment(): NodeJS.ProcessEnv {
  const { PATH = '/usr/local/bin:/usr/bin:/bin' } = process.env;
  return { PATH, LC_ALL: 'C', TZ: 'UTC' };
}

/** Never rejects: a program that cannot be started has ended with the code of the system error. */
export function runCommand(
  file: string,
  parameters: readonly string[],
  { user, cwd, input = '', inherits }: CommandOptions = {},
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(file, parameters, {
      ...user,
      ...(cwd === undefined ? {} : { cwd }),
      env: databaseEnvironment(),
      stdio: ['pipe', 'pipe', 'pipe', inherits ?? 'ignore'],
    });
    let output = '';
    let errors = '';
    child.stdout?.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr?.on('data', (chunk) => {
      errors += chunk;
    });
    child.on('error', (error) => resolve({ code: codeOf(error), output, errors }));
    child.on('close', (code, signal) => resolve({ code: code ?? signal ?? 'unknown', output, errors }));
    // A program that ends without reading its input closes the pipe.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}
