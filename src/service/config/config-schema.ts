/** The schema of the whole config file. */
import { type Static, Type } from '@sinclair/typebox';
import { BillingSchema, CreditsSchema } from './sections/billing-section.ts';
import { CallbacksSchema } from './sections/callbacks-section.ts';
import { DatabaseSchema } from './sections/database-section.ts';
import { DurationsSchema } from './sections/durations-section.ts';
import { KeySchema } from './sections/keys-section.ts';
import { LimitsSchema } from './sections/limits-section.ts';
import { LiveSchema } from './sections/live-section.ts';
import { MembersSchema } from './sections/members-section.ts';
import { MetricsSchema } from './sections/metrics-section.ts';
import { OidcSchema } from './sections/oidc-section.ts';
import { RoleSchema } from './sections/role-section.ts';
import { optionalNumber, optionalPath, optionalText, section, yesNo } from './sections/shared-schemas.ts';
import { SignInSchema } from './sections/sign-in-section.ts';

/** The default host to listen on. */
export const DEFAULT_HOST = '127.0.0.1';
export const DEFAULT_PORT = 8080;

/** What people do who have lost their password. */
export const DEFAULT_SUPPORT = 'Ask the operator of this service for a new one.';

/** Beside the config file. */
export const DEFAULT_PROOF_KEY_FILE = 'proof-key.json';

/** Without a database, the config must have keys. */
const KEYS = Type.Array(KeySchema, { minItems: 1, expected: 'a list of at least one key', secret: true });
const ANY_KEYS = Type.Array(KeySchema, {
  expected: 'a list of keys',
  secret: true,
  description:
    'Keys that belong to no account, as in [the example](service.md#the-config-file). Required without a database.',
  default: [],
});

const OTHERS = {
  database: Type.Optional(DatabaseSchema),
  limits: Type.Optional(LimitsSchema),
  durations: Type.Optional(DurationsSchema),
  billing: Type.Optional(BillingSchema),
  credits: Type.Optional(CreditsSchema),
  callbacks: Type.Optional(CallbacksSchema),
  live: Type.Optional(LiveSchema),
  members: Type.Optional(MembersSchema),
  metrics: Type.Optional(MetricsSchema),
  oidc: Type.Optional(OidcSchema),
  role: Type.Optional(RoleSchema),
  signIn: Type.Optional(SignInSchema),
  publicUrl: optionalText(
    'an http or https URL',
    'The URL at which your users reach the service. Links and redirects begin with it, and proofs name it. If it is missing, the host and port that the service listens on take its place. It may have a path, which the reverse proxy must remove. Then set `baseUrl` of the widget to this URL.',
    { secret: true },
  ),
  support: optionalText(
    'a text of 1 to 500 characters',
    'What people do who have lost their password, or whose credits are missing: an email address, a URL, or a text such as "Write to help@example.com." It is on the sign-in page, and where credits are missing or run low without `billing.page`, also in the 402.',
    { minLength: 1, maxLength: 500, default: DEFAULT_SUPPORT },
  ),
  secretsKeyFile: optionalPath(
    'file',
    'A file with the keys that [encrypt callback secrets, captcha secrets and the keys of authenticator apps](hosting.md#encrypt-stored-secrets) in the database and in backups. A relative path is relative to the same folder as that of `database`.',
  ),
  proofKeyFile: optionalPath(
    'file',
    'Where a service without a database keeps the key that signs [proofs](service.md#proofs). It makes the file if there is none. A relative path is relative to the folder of the config file.',
    DEFAULT_PROOF_KEY_FILE,
  ),
  trustProxy: yesNo(
    'Whether the last entry of `X-Forwarded-For` is the IP address of the client. Set it behind a reverse proxy, and only there.',
    false,
  ),
  host: optionalText(
    'a host name or an IP address',
    'The host name or IP address that the service listens on. `--host` replaces it.',
    { minLength: 1, default: DEFAULT_HOST },
  ),
  port: optionalNumber(0, 65_535, {
    description:
      'The port that the service listens on. With 0, the system chooses one. `--port` replaces it.',
    default: DEFAULT_PORT,
  }),
};

/** The config of a service that has a database. */
export const ConfigSchema = section({ keys: Type.Optional(ANY_KEYS), ...OTHERS });

/** The config of a service that has none. */
export const ConfigWithoutDatabaseSchema = section({ keys: KEYS, ...OTHERS });

/** The content of the file. */
export type Config = Static<typeof ConfigSchema>;
