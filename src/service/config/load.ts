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
import { type LiveSettings, settleLive } from './live.ts';
import { DEFAULT_METRICS_HOST, type MetricsPlace } from './metrics.ts';
import { readPublicUrl } from './public-url.ts';
import { readConfig } from './read.ts';
import type { Role } from './role.ts';
import type { Config } from './schema.ts';

/** What the service runs by: the config with every default filled in. */
export interface Settings {
  readonly keys: readonly KeyEntry[];
  /** `undefined` for a service without a database. */
  readonly database: DatabaseLocation | undefined;
  readonly limits: Limits;
  readonly durations: Durations;
  readonly billing: Billing | undefined;
  readonly refundUnknown: boolean;
  /** Whether callbacks may go to private IP addresses. */
  readonly allowPrivateCallbacks: boolean;
  /** `undefined` means that live keys get a 503. */
  readonly live: LiveSettings | undefined;
  /** `undefined` means the address that the service listens on. */
  readonly publicUrl: string | undefined;
  /** `undefined` means that there are no metrics. */
  readonly metrics: MetricsPlace | undefined;
  /** The command line wins. */
  readonly role: Role;
  readonly trustProxy: boolean;
  readonly host: string | undefined;
  readonly port: number | undefined;
}

/** The variables that count. */
export interface Environment {
  readonly DATABASE_URL?: string | undefined;
}

type ReadFile = (path: string) => string;
const readText: ReadFile = (path) => readFileSync(path, 'utf8');

/**
 * @param path the config file
 * @throws {ConfigError} at the first thing that is not right
 */
export function loadSettings(
  path: string,
  environment: Environment,
  readFile: ReadFile = readText,
): Settings {
  const config = loadConfig(path, readFile, Boolean(environment.DATABASE_URL));
  return inFile(path, () => settle(config, dirname(resolve(path)), environment));
}

/**
 * For commands that a config without keys and without a database is enough for.
 *
 * @throws {ConfigError} at the first thing in the file that is not right
 */
export function loadLooseSettings(
  path: string,
  environment: Environment,
  readFile: ReadFile = readText,
): Settings {
  const config = loadConfig(path, readFile, true);
  return inFile(path, () => settle(config, dirname(resolve(path)), environment));
}

/**
 * The section `live` alone, which needs neither keys nor a database.
 *
 * @throws {ConfigError} at the first thing in the file that is not right
 */
export function loadLive(path: string, readFile: ReadFile = readText): LiveSettings | undefined {
  const { live } = loadConfig(path, readFile, true);
  return live && settleLive(live, dirname(resolve(path)));
}

function loadConfig(path: string, readFile: ReadFile, hasDatabase: boolean): Config {
  let text: string;
  try {
    text = readFile(path);
  } catch (error) {
    throw new ConfigError(
      `Expected a readable file after --config, got ${path} (${(error as { code?: string }).code}).`,
    );
  }
  return inFile(path, () => readConfig(text, hasDatabase));
}

/** Runs a step, and adds to its error which file is wrong. */
function inFile<Value>(path: string, step: () => Value): Value {
  try {
    return step();
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
  const { publicUrl, metrics } = config;
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
    live: config.live && settleLive(config.live, base),
    allowPrivateCallbacks: config.callbacks?.allowPrivateAddresses ?? false,
    refundUnknown: config.credits?.refundUnknown ?? true,
    publicUrl: publicUrl === undefined ? undefined : readPublicUrl(publicUrl),
    metrics: metrics && { host: DEFAULT_METRICS_HOST, ...metrics },
    role: config.role ?? 'all',
    trustProxy: config.trustProxy ?? false,
    host: config.host,
    port: config.port,
  };
}
