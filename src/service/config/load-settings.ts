/** Joins the config file and the environment into the settings of the service. */
import { dirname, resolve } from 'node:path';
import { readTextFile } from '../core/text-file.ts';
import type { DatabaseLocation } from '../database/database-location.ts';
import { ConfigError } from './config-error.ts';
import { DEFAULT_PROOF_KEY_FILE } from './config-schema.ts';
import { join, naming } from './config-sources.ts';
import { type Environment, type GivenSetting, readDatabaseUrl, readEnvironment } from './environment.ts';
import { checkConfig, parseConfig } from './read-config.ts';
import type { ReadFile } from './read-secret.ts';
import { type BillingSettings, settleBilling } from './sections/billing-section.ts';
import type { CallbackRules } from './sections/callbacks-section.ts';
import { readLocation } from './sections/database-section.ts';
import { DEFAULT_DURATIONS, type Durations } from './sections/durations-section.ts';
import type { KeyEntry } from './sections/keys-section.ts';
import { DEFAULT_LIMITS, type Limits } from './sections/limits-section.ts';
import { type LiveSettings, settleLive } from './sections/live-section.ts';
import type { MemberSettings } from './sections/members-section.ts';
import { DEFAULT_METRICS_HOST, type MetricsPlace } from './sections/metrics-section.ts';
import { type OidcSettings, settleOidc } from './sections/oidc-section.ts';
import { readPublicUrl } from './sections/public-url-section.ts';
import type { Role } from './sections/role-section.ts';
import { readSecretsKeys, type SecretsKeys } from './sections/secrets-keys-section.ts';
import { DEFAULT_SIGN_IN, type SignInSettings } from './sections/sign-in-section.ts';

/** The settings of the service: the config with all defaults. */
export interface Settings {
  readonly keys: readonly KeyEntry[];
  /** `undefined` for a service without a database. */
  readonly database: DatabaseLocation | undefined;
  readonly limits: Limits;
  readonly durations: Durations;
  readonly billing: BillingSettings | undefined;
  /** The URL of the page on which people buy credits, with a place for the account's id. */
  readonly billingPage: string | undefined;
  readonly refundUnknown: boolean;
  /** Accounts with fewer credits are told. `undefined` means that only the pace of their use counts. */
  readonly lowCredits: number | undefined;
  /** Whether a sample for a forecast costs no credits. */
  readonly freeForecast: boolean;
  readonly callbacks: CallbackRules;
  /** `undefined` means that live keys get a 503. */
  readonly live: LiveSettings | undefined;
  /** `undefined` means the URL that the service listens on. */
  readonly publicUrl: string | undefined;
  /** What depends on the operator in the roles of an account. */
  readonly members: MemberSettings;
  /** `undefined` means that there are no metrics. */
  readonly metrics: MetricsPlace | undefined;
  /** `undefined` means that there is no single sign-on. */
  readonly oidc: OidcSettings | undefined;
  /** The command line wins. */
  readonly role: Role;
  readonly signIn: SignInSettings;
  /** What people do who need help: an address, or a text. */
  readonly support: string | undefined;
  /** `undefined` means that secrets are stored in clear. */
  readonly secrets: SecretsKeys | undefined;
  /** Where a service without a database keeps the key that signs proofs. */
  readonly proofKeyFile: ProofKeyFile;
  readonly trustProxy: boolean;
  readonly host: string | undefined;
  readonly port: number | undefined;
}

/** A file, and whether the config names it. */
export interface ProofKeyFile {
  readonly path: string;
  readonly isNamed: boolean;
}

/**
 * Loads the settings. The environment wins over the file.
 *
 * @param path the config file. It may be missing if the environment has the required settings.
 * @throws {ConfigError} for the first error
 */
export function loadSettings(
  path: string | undefined,
  environment: Environment,
  readFile: ReadFile = readTextFile,
): Settings {
  const sources = readSources(path, environment, readFile);
  if (path === undefined && sources.given.length === 0 && sources.databaseUrl === undefined) {
    throw new ConfigError(
      'Expected --config FILE, but it is missing. Name the config file, or set variables such as DATABASE_URL.',
    );
  }
  return settle(sources, sources.databaseUrl !== undefined, readFile);
}

/** Loads the settings for commands that need neither keys nor a database. @throws {ConfigError} for the first error */
export function loadLooseSettings(
  path: string | undefined,
  environment: Environment,
  readFile: ReadFile = readTextFile,
): Settings {
  return settle(readSources(path, environment, readFile), true, readFile);
}

/** The sources of a config, before it is checked. */
interface Sources {
  readonly path: string | undefined;
  /** The content of the file: any JSON value. */
  readonly value: unknown;
  readonly given: readonly GivenSetting[];
  readonly databaseUrl: ReturnType<typeof readDatabaseUrl>;
}

function readSources(path: string | undefined, environment: Environment, readFile: ReadFile): Sources {
  const given = readEnvironment(environment, readFile);
  const databaseUrl = readDatabaseUrl(environment, readFile);
  const value = path === undefined ? {} : readConfigFile(path, readFile);
  return { path, value, given, databaseUrl };
}

function readConfigFile(path: string, readFile: ReadFile): unknown {
  let text: string;
  try {
    text = readFile(path);
  } catch (error) {
    throw new ConfigError(
      `Expected a readable file after --config, got ${path} (${(error as { code?: string }).code}).`,
    );
  }
  return naming(path, [], () => parseConfig(text));
}

/** Checks the config and fills in the defaults. Relative paths begin at the folder of the config file. */
function settle(sources: Sources, hasDatabase: boolean, readFile: ReadFile): Settings {
  const { path, value, given, databaseUrl } = sources;
  const base = path === undefined ? process.cwd() : dirname(resolve(path));
  const ofUrl = databaseUrl && readLocation(databaseUrl.text, databaseUrl.variable, base);
  return naming(path, given, () => {
    const config = checkConfig(join(value, given), hasDatabase);
    const { publicUrl, metrics, oidc, secretsKeyFile, proofKeyFile } = config;
    return {
      keys: config.keys ?? [],
      database:
        ofUrl ??
        (config.database === undefined ? undefined : readLocation(config.database, 'database', base)),
      limits: { ...DEFAULT_LIMITS, ...config.limits },
      durations: { ...DEFAULT_DURATIONS, ...config.durations },
      billing: config.billing && settleBilling(config.billing),
      billingPage: config.billing?.page,
      live: config.live && settleLive(config.live, base),
      callbacks: { allowPrivateAddresses: false, refusedNetworks: [], ...config.callbacks },
      refundUnknown: config.credits?.refundUnknown ?? true,
      lowCredits: config.credits?.low,
      freeForecast: config.credits?.forecast ?? false,
      publicUrl: publicUrl === undefined ? undefined : readPublicUrl(publicUrl),
      members: { viewersDownload: false, ...config.members },
      metrics: metrics && { host: DEFAULT_METRICS_HOST, ...metrics },
      oidc: oidc && settleOidc(oidc, pathOf(base, oidc.clientSecretFile), readFile),
      role: config.role ?? 'all',
      signIn: { ...DEFAULT_SIGN_IN, ...config.signIn },
      support: config.support,
      secrets:
        secretsKeyFile === undefined ? undefined : readSecretsKeys(resolve(base, secretsKeyFile), readFile),
      proofKeyFile: {
        path: resolve(base, proofKeyFile ?? DEFAULT_PROOF_KEY_FILE),
        isNamed: proofKeyFile !== undefined,
      },
      trustProxy: config.trustProxy ?? false,
      host: config.host,
      port: config.port,
    };
  });
}

const pathOf = (base: string, path: string | undefined): string | undefined =>
  path === undefined ? undefined : resolve(base, path);
