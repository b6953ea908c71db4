/** Puts the config file and the environment together, and says which of them is wrong. */

import type { GivenSetting } from './environment.ts';
import { ConfigError } from './failure.ts';
import { SETTINGS } from './variables.ts';

/**
 * @param value what is in the file: any JSON value
 * @param given what the environment has, which wins
 * @returns a value of the same shape. What cannot be joined is left as it is in the file, and the schema refuses it.
 */
export function join(value: unknown, given: readonly GivenSetting[]): unknown {
  return given.reduce<unknown>((whole, setting) => withValue(whole, setting.path, setting.value), value);
}

function withValue(section: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (typeof section !== 'object' || section === null || Array.isArray(section)) return section;
  const names = section as Readonly<Record<string, unknown>>;
  const inner = rest.length === 0 ? value : withValue(names[name!] ?? {}, rest, value);
  return { ...names, [name!]: inner };
}

/**
 * Runs a step. If it fails over a setting of the environment, the message names the variable, else the file.
 *
 * @param path the config file, if there is one
 */
export function naming<Value>(
  path: string | undefined,
  given: readonly GivenSetting[],
  step: () => Value,
): Value {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const message = nameVariables(error.message, path === undefined ? [...given, ...SETTINGS] : given);
    throw new ConfigError(message, message === error.message ? path : undefined);
  }
}

/** Messages begin with "Expected" and the place, and places in lists have a number: `keys[0].kind`. */
function nameVariables(
  message: string,
  settings: readonly Pick<GivenSetting, 'path' | 'variable'>[],
): string {
  for (const { path, variable } of settings) {
    const place = path.join('\\.');
    const named = message
      .replace(new RegExp(`^Expected ${place}(?=[ .[])`), `Expected ${variable}`)
      .replace(new RegExp(`(?<![\\w.])${place}(?=\\[\\d)`, 'g'), variable);
    if (named !== message) return named;
  }
  return message;
}
