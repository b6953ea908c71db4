/** Runs one command line and returns what main.ts prints and the exit code. */

import { describeError } from '../service/core/log.ts';
import { toLine, UsageError } from '../service/core/usage-error.ts';
import { BackupError } from '../service/database/backup/backup-format.ts';
import { DatabaseError } from '../service/database/database-error.ts';
import { isUnavailable } from '../service/database/unavailable.ts';
import type { Json } from './command.ts';
import { CommandError } from './command-error.ts';
import { COMMANDS } from './commands/table.ts';
import { helpText } from './help.ts';
import { openForCommand } from './open.ts';
import { parseCommandLine } from './parse.ts';
import { readSettings, readWholeSettings, type Surroundings } from './settings.ts';

/** The command did its work. */
const DONE = 0;
/** The database or its folder cannot be used, the books are wrong, or the program has a defect. */
const FAILED = 1;
/** The operator can correct the command line, a file or the config. */
const WRONG_INPUT = 2;

/** With the start of npm, a command for an unreachable database ends within 30 s. */
const PATIENCE_MS = 25_000;

/** The server's refusals of a change by SQLSTATE, with advice for the operator. */
const REFUSALS: Readonly<Record<string, string>> = {
  '25006':
    'Expected a database that takes changes, got a read-only one. Name the primary server in the database URL, or end the read-only mode.',
  '40001':
    'Expected the replica to let the command read to its end, got a conflict with the changes of the primary. Set hot_standby_feedback = on at the replica, or raise its max_standby_streaming_delay. Then run the command again.',
  '42501':
    "Expected the owner of the service's tables, got a user without the right to use them. Change the user in the database URL.",
  '57014':
    'Expected the database to finish the statement in time, got none. Check its load and its locks. Then run the command again.',
  '55P03':
    'Expected a lock of the database to become free, got none. Check for long transactions. Then run the command again.',
  '53100': 'Expected space on the disk of the database, got none. Make space, and run the command again.',
};

const BROKEN_CONNECTION =
  'Expected the database to stay reachable, got a broken connection. Check whether the change was made, and try again.';

export interface Outcome {
  readonly exitCode: number;
  /** One JSON value or the help text, else empty. */
  readonly output: string;
  /** One line, or the result of a command whose output is a file. */
  readonly error: string;
}

/** @param parameters the words after `admin --` on the command line */
export async function runCommandLine(
  parameters: readonly string[],
  surroundings: Surroundings,
): Promise<Outcome> {
  try {
    return await work(parameters, surroundings);
  } catch (error) {
    const { exitCode, message } = explain(error);
    return { exitCode, output: '', error: `${toLine(message)}\n` };
  }
}

async function work(parameters: readonly string[], surroundings: Surroundings): Promise<Outcome> {
  const wish = parseCommandLine(parameters, COMMANDS, surroundings.readFile);
  if (wish.kind === 'help')
    return { exitCode: DONE, output: helpText(wish.commands, wish.commands === COMMANDS), error: '' };
  const { command, values, operand } = wish;
  if (command.runWithout) {
    const { warn = toStandardError } = surroundings;
    const result = await command.runWithout(readWholeSettings(wish.config, surroundings), values, warn);
    return { exitCode: DONE, output: command.toText?.(result, values) ?? toText(result), error: '' };
  }
  const { location, secretsKeys, ...settings } = readSettings(wish.config, surroundings);
  const patience = command.isPatient ? undefined : (surroundings.patienceMs ?? PATIENCE_MS);
  const { open = openForCommand } = surroundings;
  const database = await open(location, patience, command.schema, secretsKeys);
  let result: Json;
  try {
    const { db, what: where } = database;
    const { stdin = process.stdin, stdout = process.stdout, warn = toStandardError } = surroundings;
    const { longMs, passwordCost } = surroundings;
    const context = { db, where, stdin, stdout, warn, longMs, passwordCost, ...settings };
    result = await command.run!(context, values, operand);
  } finally {
    // The work is done. A fault here must not lose a key that is printed only once.
    await database.close().catch(() => {});
  }
  const exitCode = command.fails?.(result) ? FAILED : DONE;
  const text = command.toText?.(result, values) ?? toText(result);
  return command.takesOutput?.(operand)
    ? { exitCode, output: '', error: text }
    : { exitCode, output: text, error: '' };
}

const toStandardError = (line: string): void => void process.stderr.write(`${toLine(line)}\n`);

const toText = (result: Json) => `${JSON.stringify(result, null, 2)}\n`;

function explain(error: unknown): { exitCode: number; message: string } {
  if (error instanceof UsageError || error instanceof BackupError)
    return { exitCode: WRONG_INPUT, message: error.message };
  if (error instanceof DatabaseError || error instanceof CommandError)
    return { exitCode: FAILED, message: error.message };
  // The end of a connection has its reason as the cause.
  const advice = REFUSALS[String(Object((error as Error).cause ?? error).code)];
  if (advice) return { exitCode: FAILED, message: advice };
  if (isUnavailable(error)) return { exitCode: FAILED, message: BROKEN_CONNECTION };
  // The message of an unknown error may quote an address or a secret, so only its code appears.
  const { error: code, at } = describeError(error);
  return { exitCode: FAILED, message: `Expected the command to finish, got the error ${code}. ${at}` };
}
