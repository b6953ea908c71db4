/** Splits a command line into words and flags, for every program of the service. */
import { quote, UsageError } from './usage-error.ts';

export interface Arguments {
  /** Whatever is no flag and no value of one, and all that follows `--`. */
  readonly words: readonly string[];
  /** The texts of each flag in the order given. A flag without a value has the text `''`. */
  readonly given: ReadonlyMap<string, readonly string[]>;
}

export interface ArgumentRules {
  /** Whether a flag takes a value, by its name without dashes. Undefined if there is no such flag. */
  readonly takesValue: (name: string) => boolean | undefined;
  /** What to say about another flag: `Expected …`. */
  readonly expected: string;
  /** Where the flags are described. @default nothing */
  readonly advice?: string;
}

/** @throws {UsageError} at the first mistake. The message has no value, because a secret may be in the wrong place */
export function splitArguments(
  parameters: readonly string[],
  { takesValue, expected, advice = '' }: ArgumentRules,
): Arguments {
  const words: string[] = [];
  const given = new Map<string, string[]>();
  for (let index = 0; index < parameters.length; index += 1) {
    const parameter = parameters[index]!;
    if (parameter === '--') {
      words.push(...parameters.slice(index + 1));
      break;
    }
    if (!parameter.startsWith('-') || parameter === '-') {
      words.push(parameter);
      continue;
    }
    const [flag = ''] = parameter.split('=', 1);
    const name = flag.slice(2);
    const isWithValue = flag.startsWith('--') ? takesValue(name) : undefined;
    if (isWithValue === undefined) throw new UsageError(`${expected}, got ${quote(flag)}.${advice}`);
    const attached = parameter.includes('=') ? parameter.slice(flag.length + 1) : undefined;
    if (!isWithValue && attached !== undefined)
      throw new UsageError(`Expected ${flag} without a value, got one. Remove what follows the "=".`);
    const value = isWithValue ? (attached ?? nextValue(parameters[index + 1])) : '';
    if (isWithValue && !value)
      throw new UsageError(`Expected a value after ${flag}, got nothing. Write ${flag} VALUE.`);
    if (isWithValue && attached === undefined) index += 1;
    given.set(name, [...(given.get(name) ?? []), value ?? '']);
  }
  return { words, given };
}

/** The next parameter, unless it is another flag. `-5` is a value: flags have two dashes. */
const nextValue = (next: string | undefined) => (next?.startsWith('--') ? undefined : next);

/** @throws {UsageError} if the flag was given more than once */
export function expectOnce(name: string, { length }: readonly string[]): void {
  if (length <= 1) return;
  throw new UsageError(`Expected --${name} once, got it ${length} times. Remove the others.`);
}

/** The text of each flag. @throws {UsageError} if one was given more than once */
export function eachOnce(given: Arguments['given']): ReadonlyMap<string, string> {
  for (const [name, texts] of given) expectOnce(name, texts);
  return new Map(Array.from(given, ([name, [text = '']]) => [name, text]));
}
