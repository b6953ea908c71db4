/** Runs one command line and returns what main.ts prints and the exit code. */
import { DatabaseError } from '../service/database/failure.ts';
import { isUnavailable } from '../service/database/unavailable.ts';
import { describeError } from '../service/log.ts';
import type { Json } from './command.ts';
import { COMMANDS } from './commands/table.ts';
import { helpText } from './help.ts';
import { openForCommand } from './open.ts';
import { parseCommandLine } from './parse.ts';
import { readSettings, readWholeSettings, type Surroundings } from './settings.ts';
import { toLine, UsageError } from './usage-error.ts';

/** The command did its work. */
const DONE = 0;
/** The database or its folder cannot be used, or the program has a defect. */
const FAILED = 1;
/** The operator can correct the command line, a file or the config. */
const WRONG_INPUT = 2;

/** Together with the start of npm, a command on an unreachable database ends within 30 s. */
const PATIENCE_MS = 25_000;

export interface Outcome {
  readonly exitCode: number;
  /** One JSON value or the help text, else empty. */
  readonly output: string;
  /** One line, else empty. */
  readonly error: string;
}

/** @param parameters what follows `admin --` on the command line */
export async function runCommandLine(
  parameters: readonly string[],
  surroundings: Surroundings,
): Promise<Outcome> {
  try {
    return { exitCode: DONE, output: await work(parameters, surroundings), error: '' };
  } catch (error) {
    const { exitCode, message } = explain(error);
    return { exitCode, output: '', error: `${toLine(message)}\n` };
  }
}

async function work(parameters: readonly string[], surroundings: Surroundings): Promise<string> {
  const wish = parseCommandLine(parameters, COMMANDS, surroundings.readFile);
  if (wish.kind === 'help') return helpText(wish.commands, wish.commands === COMMANDS);
  const { command, values } = wish;
  if (command.runWithout) {
    return toText(await command.runWithout(readWholeSettings(wish.config, surroundings), values));
  }
  const { location, ...settings } = readSettings(wish.config, surroundings);
  const patience = command.isPatient ? undefined : (surroundings.patienceMs ?? PATIENCE_MS);
  const database = await openForCommand(location, patience);
  let result: Json;
  try {
    const { db, what: where } = database;
    result = await command.run!({ db, where, ...settings }, values);
  } finally {
    // The work is done: a key that is shown once must not be lost now.
    await database.close().catch(() => {});
  }
  return toText(result);
}

const toText = (result: Json) => `${JSON.stringify(result, null, 2)}\n`;

function explain(error: unknown): { exitCode: number; message: string } {
  if (error instanceof UsageError) return { exitCode: WRONG_INPUT, message: error.message };
  if (error instanceof DatabaseError) return { exitCode: FAILED, message: error.message };
  if (isUnavailable(error)) {
    return {
      exitCode: FAILED,
      message:
        'Expected the database to stay reachable, got a broken connection. Check whether the change was made, and try again.',
    };
  }
  // The message of an unknown error may quote an address or a secret, so only its code appears.
  const { error: code, at } = describeError(error);
  return { exitCode: FAILED, message: `Expected the command to finish, got the error ${code}. ${at}` };
}
