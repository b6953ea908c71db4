/** The shape of a command: its words, flags and example. The parser and the help text both read it. */
import type { Settings } from '../service/config/load-settings.ts';
import type { ReadFile } from '../service/config/read-secret.ts';
import type { SchemaRule } from '../service/database/migrate.ts';
import type { CommandContext } from './context.ts';

/** What a command prints: any value that JSON can express. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** How often a flag may be given. */
export type Occurrence = 'optional' | 'required' | 'repeatable';

/** One flag of a command. flags.ts has a function for each type of value. */
export interface Flag<Value = unknown, Times extends Occurrence = Occurrence> {
  /** The value's name in the help text, such as `EMAIL`. A flag without one takes no value. */
  readonly placeholder?: string;
  readonly description: string;
  readonly times: Times;
  /**
   * Converts the text from the command line. Only main.ts touches the file system.
   *
   * @param place the flag as typed, such as `--email`
   * @throws {UsageError} if the text is wrong
   */
  readonly read: (text: string, place: string, readFile: ReadFile) => Value;
}

export type Flags = Readonly<Record<string, Flag>>;

/** The values of a command's flags, by the flag's name without its dashes. */
export type Values<Given extends Flags> = {
  readonly [Name in keyof Given]: Given[Name] extends Flag<infer Value, infer Times>
    ? 'required' extends Times
      ? Value
      : 'repeatable' extends Times
        ? readonly Value[]
        : Value | undefined
    : never;
};

/** One command of the table in commands/table.ts. */
export interface Command<Given extends Flags = Flags> {
  /** What the operator types, such as `['account', 'create']`. */
  readonly words: readonly string[];
  readonly description: string;
  readonly flags: Given;
  /** The words and flags of a call that works. The help text prints it. */
  readonly example: string;
  /**
   * Checks the flags against each other, before the database is opened.
   *
   * @throws {UsageError} if a combination is wrong
   */
  check?(values: Values<Given>): void;
  /** The argument after the words, such as the path of a file. It is always required. */
  readonly operand?: { readonly placeholder: string; readonly description: string };
  /** Whether the command uses standard output for other data. Its result then goes to standard error. */
  readonly takesOutput?: (operand: string) => boolean;
  /** Waits until the migrations are done. All other commands have a time limit. */
  readonly isPatient?: true;
  /** What happens to a schema that is there. @default 'require', so that only `migrate` changes it */
  readonly schema?: SchemaRule;
  /**
   * For a command that also runs without a database. Every command has either this function or `run`.
   *
   * @param warn writes a line to standard error while the command goes on
   */
  runWithout?(settings: Settings, values: Values<Given>, warn: (line: string) => void): Promise<Json>;
  /** Whether a result means a failure, with its exit code. @default none does */
  fails?(result: Json): boolean;
  /** The result as text for people. @default JSON */
  toText?(result: Json, values: Values<Given>): string | undefined;
  /** Does the work and returns what to print. */
  run?(context: CommandContext, values: Values<Given>, operand: string): Promise<Json>;
}

/** Infers the types of a command's values from its flags. */
export function defineCommand<const Given extends Flags>(command: Command<Given>): Command {
  return command;
}
