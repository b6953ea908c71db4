/** Turns the words and flags of a command line into a command and its values. */
import type { ReadFile } from '../service/config/read-secret.ts';
import { type Arguments, expectOnce, splitArguments } from '../service/core/arguments.ts';
import { quote, UsageError } from '../service/core/usage-error.ts';
import type { Command, Flag } from './command.ts';

/** The operator's request: help about some commands, or one command to run. */
export type Wish =
  | { readonly kind: 'help'; readonly commands: readonly Command[] }
  | {
      readonly kind: 'run';
      readonly command: Command;
      readonly values: Readonly<Record<string, unknown>>;
      /** The argument after the words of the command. Empty if it takes none. */
      readonly operand: string;
      /** The path after `--config`. */
      readonly config: string | undefined;
    };

/**
 * @param parameters the words after `admin --` on the command line
 * @param commands the table of all commands
 * @throws {UsageError} at the first mistake
 */
export function parseCommandLine(
  parameters: readonly string[],
  commands: readonly Command[],
  readFile: ReadFile,
): Wish {
  if (parameters.some((parameter) => parameter === '--help' || parameter === '-h'))
    return { kind: 'help', commands: findTopic(parameters, commands) };
  const { words, given } = split(parameters, commands);
  const command = findCommand(words, commands);
  const { config, ...rest } = Object.fromEntries(given);
  checkNames(command, rest);
  expectOnce('config', config ?? []);
  const values = readValues(command, rest, readFile);
  command.check?.(values);
  return { kind: 'run', command, values, operand: readOperand(command, words), config: config?.[0] };
}

/** The commands whose words the parameters begin with. Without any match, all commands. */
function findTopic(parameters: readonly string[], commands: readonly Command[]): readonly Command[] {
  const matches = (command: Command, count: number) =>
    command.words.length >= count &&
    parameters.some((_, start) =>
      command.words.slice(0, count).every((word, index) => parameters[start + index] === word),
    );
  for (const count of [3, 2, 1]) {
    const found = commands.filter((command) => matches(command, count));
    if (found.length > 0) return found;
  }
  return commands;
}

const ADVICE = 'Run admin --help for the list.';

/** Every flag takes a value unless the table says that it takes none. */
function split(parameters: readonly string[], commands: readonly Command[]): Arguments {
  const flags = new Map(commands.flatMap(({ flags }) => Object.entries(flags)));
  return splitArguments(parameters, {
    takesValue(name) {
      const flag = flags.get(name);
      return name === 'config' || (flag && flag.placeholder !== undefined);
    },
    expected: 'Expected a flag of the admin command',
    advice: ` ${ADVICE}`,
  });
}

function findCommand(words: readonly string[], commands: readonly Command[]): Command {
  if (words.length === 0) throw new UsageError(`Expected a command, got none. ${ADVICE}`);
  const found = commands.find((command) => command.words.every((word, index) => words[index] === word));
  if (!found)
    throw new UsageError(`Expected a command, got ${quote(words.slice(0, 3).join(' '))}. ${ADVICE}`);
  return found;
}

function readOperand({ words: own, operand }: Command, words: readonly string[]): string {
  const [first = '', ...others] = words.slice(own.length);
  const command = own.join(' ');
  const extra = operand ? others[0] : first;
  if (extra) {
    const expected = operand ? `one ${operand.placeholder}` : 'only flags';
    throw new UsageError(
      `Expected ${expected} after "${command}", got ${quote(extra)}. Put a flag before it.`,
    );
  }
  if (operand && first === '') {
    throw new UsageError(
      `Expected ${operand.placeholder} after "${command}", got none. Run admin ${command} --help.`,
    );
  }
  return first;
}

/** Refuses flags of other commands, repeated flags and missing ones. */
function checkNames(command: Command, given: Readonly<Record<string, readonly string[]>>): void {
  const words = command.words.join(' ');
  for (const [name, texts] of Object.entries(given)) {
    const flag = command.flags[name];
    if (!flag) {
      throw new UsageError(
        `Expected a flag of "${words}", got --${name}. Run admin ${words} --help for the list.`,
      );
    }
    if (flag.times !== 'repeatable') expectOnce(name, texts);
  }
  for (const [name, flag] of Object.entries(command.flags)) {
    if (flag.times !== 'required' || given[name]) continue;
    const example = flag.placeholder === undefined ? `--${name}` : `--${name} ${flag.placeholder}`;
    throw new UsageError(`Expected ${example}, got none. Add it to "${words}".`);
  }
}

function readValues(
  command: Command,
  given: Readonly<Record<string, readonly string[]>>,
  readFile: ReadFile,
): Readonly<Record<string, unknown>> {
  const entries = Object.entries(command.flags).map(([name, flag]) => {
    const texts = given[name] ?? [];
    return [name, readFlag(flag, `--${name}`, texts, readFile)] as const;
  });
  return Object.fromEntries(entries);
}

function readFlag(flag: Flag, place: string, texts: readonly string[], readFile: ReadFile): unknown {
  const values = texts.map((text) => flag.read(text, place, readFile));
  return flag.times === 'repeatable' ? values : values[0];
}
