/** Turns the words and flags of a command line into a command and its values. */
import type { Command, Flag, ReadFile } from './command.ts';
import { quote, UsageError } from './usage-error.ts';

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

/** The command line, split into words and flags. */
interface Pieces {
  readonly words: readonly string[];
  /** The texts of each flag in the order given. A flag without a value has the text `''`. */
  readonly given: ReadonlyMap<string, readonly string[]>;
}

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
  if (parameters.some((parameter) => parameter === '--help' || parameter === '-h')) {
    return { kind: 'help', commands: findTopic(parameters, commands) };
  }
  const { words, given } = cut(parameters, commands);
  const command = findCommand(words, commands);
  const { config, ...rest } = Object.fromEntries(given);
  checkNames(command, rest);
  if ((config?.length ?? 0) > 1) throw new UsageError('Expected --config once, got it twice. Remove one.');
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
  for (const count of [2, 1]) {
    const found = commands.filter((command) => matches(command, count));
    if (found.length > 0) return found;
  }
  return commands;
}

/** Separates words from flags. Every flag takes a value unless the table says that it takes none. */
function cut(parameters: readonly string[], commands: readonly Command[]): Pieces {
  const flags = new Map(commands.flatMap(({ flags }) => Object.entries(flags)));
  const words: string[] = [];
  const given = new Map<string, string[]>();
  for (let index = 0; index < parameters.length; index += 1) {
    const parameter = parameters[index]!;
    if (!parameter.startsWith('-') || parameter === '-') {
      words.push(parameter);
      continue;
    }
    const [place = ''] = parameter.split('=', 1);
    const name = place.slice(2);
    if (!place.startsWith('--') || !(flags.has(name) || name === 'config')) {
      // The value may be a secret in the wrong place, so the message contains only the flag.
      throw new UsageError(
        `Expected a flag of the admin command, got ${quote(place)}. Run admin --help for the list.`,
      );
    }
    const takesValue = name === 'config' || flags.get(name)?.placeholder !== undefined;
    const attached = parameter.includes('=') ? parameter.slice(place.length + 1) : undefined;
    if (!takesValue && attached !== undefined) {
      throw new UsageError(`Expected ${place} without a value, got one. Remove what follows the "=".`);
    }
    const value = takesValue ? (attached ?? takeNext(parameters, index)) : '';
    if (takesValue && !value) {
      throw new UsageError(`Expected a value after ${place}, got nothing. Write ${place} VALUE.`);
    }
    if (takesValue && attached === undefined) index += 1;
    given.set(name, [...(given.get(name) ?? []), value ?? '']);
  }
  return { words, given };
}

/** The next parameter, unless it is another flag. `-5` is a value: flags have two dashes. */
function takeNext(parameters: readonly string[], index: number): string | undefined {
  const next = parameters[index + 1];
  return next?.startsWith('--') ? undefined : next;
}

function findCommand(words: readonly string[], commands: readonly Command[]): Command {
  const advice = 'Run admin --help for the list.';
  if (words.length === 0) throw new UsageError(`Expected a command, got none. ${advice}`);
  const found = commands.find((command) => command.words.every((word, index) => words[index] === word));
  if (!found)
    throw new UsageError(`Expected a command, got ${quote(words.slice(0, 2).join(' '))}. ${advice}`);
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
    if (flag.times !== 'repeatable' && texts.length > 1) {
      throw new UsageError(`Expected --${name} once, got it ${texts.length} times. Remove the others.`);
    }
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
