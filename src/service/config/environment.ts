/** Reads the settings from environment variables. They win over the config file. */
import { parseJson } from '../core/json.ts';
import { nearestName, sayUnknown } from '../core/unknown-name.ts';
import { ConfigError } from './config-error.ts';
import { type ReadFile, readSecret } from './read-secret.ts';
import { FILE_SUFFIX, PREFIX, SETTINGS, type Setting } from './variables.ts';

/** The variables by name. Those of other programs are ignored. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A setting from the environment. */
export interface GivenSetting {
  readonly path: readonly string[];
  /** The variable that set it, which may be the one with `_FILE`. */
  readonly variable: string;
  /** The value in the form of the config file. The schema has not checked it yet. */
  readonly value: unknown;
}

/** The allowed names. Hosting providers and tools expect the name `DATABASE_URL`. */
const NAMES = SETTINGS.flatMap(({ variable, isSecret }) =>
  isSecret ? [variable, variable + FILE_SUFFIX] : [variable],
);

/**
 * @returns the settings that have a variable. An empty variable counts as missing, because Compose and shells pass
 * unset variables on as empty. @throws {ConfigError} for the first wrong variable. The message names it, and never
 * quotes a secret.
 */
export function readEnvironment(environment: Environment, readFile: ReadFile): readonly GivenSetting[] {
  refuseUnknown(environment);
  return SETTINGS.flatMap((setting) => {
    const found = textOf(setting, environment, readFile);
    if (!found) return [];
    const { variable, text } = found;
    return [{ path: setting.path, variable, value: convert(variable, setting.schema.type, text) }];
  });
}

/** The text of `DATABASE_URL`, or of the file that `DATABASE_URL_FILE` names. */
export function readDatabaseUrl(environment: Environment, readFile: ReadFile): Found | undefined {
  return secretOf('DATABASE_URL', environment, readFile);
}

/** A text, and the variable that it came from. */
interface Found {
  readonly variable: string;
  readonly text: string;
}

function refuseUnknown(environment: Environment): void {
  const wrong = Object.keys(environment).find((name) => name.startsWith(PREFIX) && !NAMES.includes(name));
  if (wrong === undefined) return;
  throw new ConfigError(
    sayUnknown(`known variables that begin with ${PREFIX}`, wrong, nearestName(wrong, NAMES)),
  );
}

function textOf(setting: Setting, environment: Environment, readFile: ReadFile): Found | undefined {
  const { variable, schema, isSecret } = setting;
  if (isSecret) return secretOf(variable, environment, readFile);
  const text = environment[variable];
  if (text === undefined || (text === '' && schema.emptyCounts !== true)) return undefined;
  return { variable, text };
}

/** Reads a secret from the variable, or from the file that the variable with `_FILE` names. */
function secretOf(name: string, environment: Environment, readFile: ReadFile): Found | undefined {
  const ofFile = name + FILE_SUFFIX;
  const { [name]: text, [ofFile]: path } = environment;
  if (!path) return text ? { variable: name, text } : undefined;
  if (text) throw new ConfigError(`Expected ${name} or ${ofFile}, got both. Remove one of them.`);
  const unreadable = (code: string) =>
    new ConfigError(`Expected a readable file in ${ofFile}, got ${path} (${code}).`);
  const secret = readSecret(path, readFile, unreadable);
  if (secret !== '') return { variable: ofFile, text: secret };
  throw new ConfigError(`Expected a secret in the file of ${ofFile}, got an empty file.`);
}

/** Text that does not fit the type stays unchanged, and the schema refuses it. */
function convert(variable: string, type: unknown, text: string): unknown {
  if (type === 'integer') return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
  if (type === 'boolean') return text === 'true' || (text === 'false' ? false : text);
  if (type !== 'array' && type !== 'object') return text;
  try {
    return parseJson(text);
  } catch {
    // The parser's message quotes the text around the fault, which may be a secret.
    throw new ConfigError(
      `Expected ${variable} to be ${type === 'array' ? 'a list' : 'an object'} in JSON, got a text that is not JSON.`,
    );
  }
}
