/** Joins the config file and the environment. Error messages name the source of a wrong setting. */

import { ConfigError } from './config-error.ts';
import type { GivenSetting } from './environment.ts';
import { SETTINGS } from './variables.ts';

/**
 * @param value the content of the file: any JSON value @param given the settings of the environment, which win @returns
 * a value of the same shape. A section that cannot be joined stays as in the file, and the schema refuses it.
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
 * Runs a step. If it fails because of a setting of the environment, the message names the variable. Otherwise, it names
 * the file.
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
