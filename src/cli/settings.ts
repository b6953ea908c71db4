/** Reads the settings of the admin command from the config file and the environment. */

import { ConfigError } from '../service/config/config-error.ts';
import { DEFAULT_HOST, DEFAULT_PORT } from '../service/config/config-schema.ts';
import type { Environment } from '../service/config/environment.ts';
import {
  loadLooseSettings,
  loadSettings,
  type Settings as ServiceSettings,
} from '../service/config/load-settings.ts';
import type { ReadFile } from '../service/config/read-secret.ts';
import type { LiveSettings } from '../service/config/sections/live-section.ts';
import { quote, UsageError } from '../service/core/usage-error.ts';
import type { Database } from '../service/database/database.ts';
import type { DatabaseLocation } from '../service/database/database-location.ts';
import type { CommandContext, Streams } from './context.ts';
import type { openForCommand } from './open.ts';

/** The environment, the files and the streams that main.ts passes in. */
export interface Surroundings
  extends Partial<Streams & Pick<CommandContext, 'warn' | 'longMs' | 'passwordCost'>> {
  readonly environment: Environment;
  readonly readFile: ReadFile;
  /** How long to wait for the database, in milliseconds. */
  readonly patienceMs?: number;
  /** Opens the database. @default openForCommand */
  readonly open?: ((...of: Parameters<typeof openForCommand>) => Promise<OpenedDatabase>) | undefined;
}

/** What a command needs of its database. */
export type OpenedDatabase = Pick<Database, 'db' | 'what' | 'close'>;

/** Without a config file, the defaults. */
export interface Settings
  extends Pick<CommandContext, 'configKeys' | 'durations' | 'refundUnknown' | 'serviceUrl' | 'live'> {
  readonly location: DatabaseLocation;
  /** The keys that seal stored secrets. */
  readonly secretsKeys: readonly Buffer[];
}

/**
 * @param path the file after `--config`, if it was given
 * @throws {UsageError} if there is no database to use, or if the file is wrong
 */
export function readSettings(path: string | undefined, surroundings: Surroundings): Settings {
  const { environment, readFile } = surroundings;
  // Without a file, a command needs only the database.
  const load = path === undefined ? loadLooseSettings : loadSettings;
  const loaded = inOneLine(() => load(path, environment, readFile));
  const { database, keys, durations, refundUnknown, secrets, live } = loaded;
  if (database) {
    const configKeys = keys.map(({ key }) => key);
    return {
      ...{ location: database, configKeys, durations, refundUnknown, secretsKeys: secrets?.keys ?? [] },
      ...{ live, serviceUrl: serviceUrlOf(loaded) },
    };
  }
  if (path !== undefined) {
    throw new UsageError(
      `Expected "database" in the file of --config, got none. Add a folder or a postgres:// URL to ${quote(path)}.`,
    );
  }
  throw new UsageError(
    'Expected --config FILE or the environment variable DATABASE_URL, got neither. Add one of them.',
  );
}

/** Where a service with these settings is reached. */
function serviceUrlOf(settings: Pick<ServiceSettings, 'publicUrl' | 'host' | 'port'>): string {
  const { publicUrl, host = DEFAULT_HOST, port = DEFAULT_PORT } = settings;
  return publicUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The settings for a command that also runs without a database. @throws {UsageError} if the config is wrong */
export function readWholeSettings(
  path: string | undefined,
  { environment, readFile }: Surroundings,
): ServiceSettings {
  return inOneLine(() => loadLooseSettings(path, environment, readFile));
}

/** Reads a part of the config, whose faults are faults of the command line. @throws {UsageError} */
export function inOneLine<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.message);
    throw error;
  }
}

/** The section `live`, for a command that needs it. @throws {UsageError} without it */
export function needLive(live: LiveSettings | undefined): LiveSettings {
  if (live) return live;
  throw new UsageError('Expected "live" in the file of --config, got none. Add helo and mailFrom at least.');
}
