/** Runs programs, as another user if needed. */
import { spawn } from 'node:child_process';
import { lchown } from 'node:fs/promises';
import { codeOf } from './embedded-advice.ts';

/** A system user other than the one who runs Node. */
export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
  /**
   * Set if root may not become another user, as in some sandboxes. The program then runs in a user namespace in which
   * root's files belong to this user.
   */
  readonly mapped?: boolean;
}

/** Describes the start of a program as a user: the command line and the ids for `spawn`. */
export function asUser(user: SystemUser | undefined, file: string, parameters: readonly string[]) {
  if (!user) return { file, parameters, ids: {} };
  const { uid, gid, mapped } = user;
  if (!mapped) return { file, parameters, ids: { uid, gid } };
  const mapping = ['--user', `--map-user=${uid}`, `--map-group=${gid}`, '--'];
  return { file: 'unshare', parameters: [...mapping, file, ...parameters], ids: {} };
}

/** Gives a file or folder, or the link itself, to a user. */
export async function giveTo(user: SystemUser | undefined, path: string): Promise<void> {
  if (user && !user.mapped) await lchown(path, user.uid, user.gid);
}

/** How a program ended. `code` is an exit code, the name of a signal, or the system error that prevented its start. */
export type Ended = { readonly code: number | string; readonly output: string; readonly errors: string };

interface CommandOptions {
  /** The user who runs the program. Only root can set it. */
  readonly user?: SystemUser | undefined;
  readonly cwd?: string | undefined;
  /** Text for the program's standard input. */
  readonly input?: string;
  /** An open file that the program inherits as its descriptor 3. */
  readonly inherits?: number | undefined;
}

/**
 * The environment of the database's programs. The rest of Node's environment may contain secrets, or settings of
 * PostgreSQL.
 */
export function databaseEnvironment(): NodeJS.ProcessEnv {
  const { PATH = '/usr/local/bin:/usr/bin:/bin' } = process.env;
  return { PATH, LC_ALL: 'C', TZ: 'UTC' };
}

/** Never rejects. If a program cannot start, the result has the code of the system error. */
export function runCommand(
  file: string,
  parameters: readonly string[],
  options: CommandOptions = {},
): Promise<Ended> {
  // Node throws some start errors, and emits others.
  return runToEnd(file, parameters, options).catch((error) => ({
    code: codeOf(error),
    output: '',
    errors: '',
  }));
}

async function runToEnd(
  file: string,
  parameters: readonly string[],
  { user, cwd, input = '', inherits }: CommandOptions,
): Promise<Ended> {
  const start = asUser(user, file, parameters);
  const child = spawn(start.file, start.parameters, {
    ...start.ids,
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
  // A program that ends without reading its input closes the pipe.
  child.stdin?.on('error', () => {});
  child.stdin?.end(input);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code: code ?? signal ?? 'unknown', output, errors }));
  });
}
