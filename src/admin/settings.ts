/** What the admin command needs of the config file and the environment. */
import { dirname, resolve } from 'node:path';
import { ConfigError, readConfig } from '../service/config.ts';
import type { DatabaseLocation } from '../service/database/location.ts';
import { parseJson } from '../service/json.ts';
import type { ReadFile } from './command.ts';
import { quote, UsageError } from './usage-error.ts';

/** What main.ts passes in from outside the program. */
export interface Surroundings {
  /** The environment variable `DATABASE_URL`. */
  readonly databaseUrl: string | undefined;
  readonly readFile: ReadFile;
  /** How long to wait for the database, in milliseconds. */
  readonly patienceMs?: number;
}

export interface Settings {
  readonly location: DatabaseLocation;
  /** The keys of the config file. A key of the database must differ from them. */
  readonly configKeys: readonly string[];
}

/**
 * @param path the file after `--config`, if it was given
 * @throws {UsageError} if there is no database to use, or if the file is wrong
 */
export function readSettings(path: string | undefined, surroundings: Surroundings): Settings {
  const { database, keys } = path === undefined ? {} : readConfigFile(path, surroundings.readFile);
  const configKeys = keys?.map(({ key }) => key) ?? [];
  if (surroundings.databaseUrl) {
    return { location: readUrl(surroundings.databaseUrl, 'DATABASE_URL'), configKeys };
  }
  if (path === undefined) {
    throw new UsageError(
      'Expected --config FILE or the environment variable DATABASE_URL, got neither. Add one of them.',
    );
  }
  if (database === undefined) {
    throw new UsageError(
      `Expected "database" in the file of --config, got none. Add a folder or a postgres:// URL to ${quote(path)}.`,
    );
  }
  const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(database);
  const location = isUrl ? readUrl(database, '"database"') : { folder: resolve(dirname(path), database) };
  return { location, configKeys };
}

/** The message names the scheme only, because the rest may contain a password. */
function readUrl(url: string, place: string): DatabaseLocation {
  if (/^postgres(ql)?:\/\//i.test(url)) return { url };
  const got = /^([a-z][a-z0-9+.-]*:\/\/)/i.exec(url)?.[1] ?? 'a text without it';
  throw new UsageError(`Expected ${place} to begin with postgres://, got ${got}. Only PostgreSQL works.`);
}

interface ConfigFile {
  readonly database?: string;
  readonly keys?: readonly { readonly key: string }[];
}

function readConfigFile(path: string, readFile: ReadFile): ConfigFile {
  let text: string;
  try {
    text = readFile(path);
  } catch (error) {
    const code = (error as { code?: string }).code ?? 'unreadable';
    throw new UsageError(`Expected a readable file after --config, got ${quote(path)} (${code}). Check it.`);
  }
  try {
    return parseConfig(text);
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(`--config: ${error.message}`);
    throw error;
  }
}

/**
 * Reads the database and the keys, and leaves the other sections to the service.
 * The schema of the config does not have the database yet, so the keys are checked alone.
 */
function parseConfig(text: string): ConfigFile {
  const file = parseObject(text);
  if (!file) return readConfig(text);
  const { database, keys } = file;
  if (database !== undefined && (typeof database !== 'string' || database === '')) {
    throw new ConfigError('Expected database to be a folder or a postgres:// URL. Correct it.');
  }
  const hasKeys = keys !== undefined && !(Array.isArray(keys) && keys.length === 0);
  return {
    ...(database === undefined ? {} : { database }),
    ...(hasKeys ? { keys: readConfig(JSON.stringify({ keys })).keys } : {}),
  };
}

/** The JSON object in the text. Anything else is left to `readConfig`, whose errors name the place. */
function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value = parseJson(text.replace(/^\uFEFF/, ''));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
