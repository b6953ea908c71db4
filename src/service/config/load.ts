/** The config file and the environment, joined into what the service runs by. */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { DatabaseLocation } from '../database/location.ts';
import type { Billing } from './billing.ts';
import { readLocation } from './database.ts';
import { DEFAULT_DURATIONS, type Durations } from './durations.ts';
import { ConfigError } from './failure.ts';
import type { KeyEntry } from './keys.ts';
import { DEFAULT_LIMITS, type Limits } from './limits.ts';
import { readPublicUrl } from './public-url.ts';
import { readConfig } from './read.ts';
import type { Config } from './schema.ts';

/** What the service runs by: the config with every default filled in. */
export interface Settings {
  readonly keys: readonly KeyEntry[];
  /** `undefined` makes the service a sandbox. */
  readonly database: DatabaseLocation | undefined;
  readonly limits: Limits;
  readonly durations: Durations;
  readonly billing: Billing | undefined;
  readonly refundUnknown: boolean;
  /** `undefined` means the address that the service listens on. */
  readonly publicUrl: string | undefined;
  readonly trustProxy: boolean;
  readonly host: string | undefined;
  readonly port: number | undefined;
}

/** The variables that count. */
export interface Environment {
  readonly DATABASE_URL?: string | undefined;
}

/**
 * @param path the config file
 * @throws {ConfigError} at the first thing that is not right
 */
export function loadSettings(
  path: string,
  environment: Environment,
  readFile: (path: string) => string = (path) => readFileSync(path, 'utf8'),
): Settings {
  let text: string;
  try {
    text = readFile(path);
  } catch (error) {
    throw new ConfigError(
      `Expected a readable file after --config, got ${path} (${(error as { code?: string }).code}).`,
    );
  }
  try {
    const config = readConfig(text, Boolean(environment.DATABASE_URL));
    return settle(config, dirname(resolve(path)), environment);
  } catch (error) {
    if (error instanceof ConfigError) throw new ConfigError(error.message, path);
    throw error;
  }
}

/**
 * Fills in the defaults.
 *
 * @param base the folder that relative paths begin at
 */
export function settle(config: Config, base: string, { DATABASE_URL }: Environment): Settings {
  const { publicUrl } = config;
  return {
    keys: config.keys ?? [],
    database: DATABASE_URL
      ? readLocation(DATABASE_URL, 'DATABASE_URL', base)
      : config.database === undefined
        ? undefined
        : readLocation(config.database, 'database', base),
    limits: { ...DEFAULT_LIMITS, ...config.limits },
    durations: { ...DEFAULT_DURATIONS, ...config.durations },
    billing: config.billing,
    refundUnknown: config.credits?.refundUnknown ?? true,
    publicUrl: publicUrl === undefined ? undefined : readPublicUrl(publicUrl),
    trustProxy: config.trustProxy ?? false,
    host: config.host,
    port: config.port,
  };
}
