/** Reads the command line. Each error is one clear sentence. */
import { parseArgs } from 'node:util';
import { ConfigError } from '../config/config-error.ts';
import { type Role, readRole } from '../config/sections/role-section.ts';

export interface CommandLine {
  readonly isDemo: boolean;
  /** The config file. It is optional, because environment variables can replace it, and the demo has its own. */
  readonly config: string | undefined;
  readonly host: string | undefined;
  readonly port: number | undefined;
  /** The role of the process. The demo has all roles. */
  readonly role: Role | undefined;
  /** Where the demo keeps its database. */
  readonly data: string | undefined;
}

export const DEMO_DOES_ALL =
  'Expected --demo without a role, because the demo is a single process. To set a role, run "npm run service" with --role.';

export const HELP = `Starts the service.

  npm run --silent service -- [--config FILE] [--host HOST] [--port N] [--role web|worker|all]
  npm start -- [--host HOST] [--port N] [--config FILE] [--data FOLDER]   the demo

  --config FILE   the config, as JSON. Environment variables can replace it: docs/configuration.md
  --host HOST     the IP address to listen on. Default: 127.0.0.1
  --port N        the port. Default: 8080
  --role ROLE     web answers requests, worker verifies lists, all does both. Default: all
  --demo          starts the demo, with its own keys and account
  --data FOLDER   where the demo keeps its database. Default: .data
  --help          shows this text
`;

const FLAGS = {
  demo: { type: 'boolean' },
  config: { type: 'string' },
  host: { type: 'string' },
  port: { type: 'string' },
  role: { type: 'string' },
  data: { type: 'string' },
} as const;

/** @throws {ConfigError} for the first error */
export function readCommandLine(parameters: readonly string[]): CommandLine {
  const { tokens } = parseArgs({ args: [...parameters], options: FLAGS, strict: false, tokens: true });
  const given = new Map<string, string | undefined>();
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional' || !Object.hasOwn(FLAGS, token.name)) {
      const got = token.kind === 'positional' ? token.value : token.rawName;
      throw new ConfigError(
        `Expected only --config FILE, --host HOST, --port N, --role web|worker|all, --demo, --data FOLDER or --help, got ${got}.`,
      );
    }
    const { name } = token;
    if (given.has(name)) throw new ConfigError(`Expected --${name} once, got it twice.`);
    if (name !== 'demo' && !token.value)
      throw new ConfigError(`Expected a value after --${name}, got nothing.`);
    if (name === 'demo' && token.value !== undefined)
      throw new ConfigError('Expected --demo without a value.');
    given.set(name, token.value);
  }
  const isDemo = given.has('demo');
  const config = given.get('config');
  const data = given.get('data');
  if (!isDemo && data !== undefined) {
    throw new ConfigError(
      'Expected --data with --demo only. Name the database in the config, or in DATABASE_URL.',
    );
  }
  const role = given.get('role');
  if (isDemo && role !== undefined) throw new ConfigError(DEMO_DOES_ALL);
  return {
    isDemo,
    config,
    host: given.get('host'),
    port: readPort(given.get('port')),
    role: role === undefined ? undefined : readRole(role),
    data,
  };
}

function readPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new ConfigError(`Expected --port to be a whole number from 0 to 65535, got ${JSON.stringify(text)}.`);
}
