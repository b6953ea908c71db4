/** Reads the command line. Each error is one clear sentence. */
import { type Role, readRole } from '../config/sections/role-section.ts';
import { eachOnce, splitArguments } from '../core/arguments.ts';
import { quote, UsageError } from '../core/usage-error.ts';

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

/** Each flag, and whether it takes a value. */
const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['demo', false],
  ['config', true],
  ['host', true],
  ['port', true],
  ['role', true],
  ['data', true],
]);

const EXPECTED =
  'Expected only --config FILE, --host HOST, --port N, --role web|worker|all, --demo, --data FOLDER or --help';

/** @throws {UsageError} or {ConfigError} for the first error */
export function readCommandLine(parameters: readonly string[]): CommandLine {
  const { words, given: texts } = splitArguments(parameters, {
    takesValue: (name) => FLAGS.get(name),
    expected: EXPECTED,
  });
  // The word may be a secret in the wrong place.
  if (words.length > 0) throw new UsageError(`${EXPECTED}, got a word without a flag.`);
  const given = eachOnce(texts);
  const isDemo = given.has('demo');
  const config = given.get('config');
  const data = given.get('data');
  if (!isDemo && data !== undefined) {
    throw new UsageError(
      'Expected --data with --demo only. Name the database in the config, or in DATABASE_URL.',
    );
  }
  const role = given.get('role');
  if (isDemo && role !== undefined) throw new UsageError(DEMO_DOES_ALL);
  return {
    ...{ isDemo, config, data, host: given.get('host'), port: readPort(given.get('port')) },
    role: role === undefined ? undefined : readRole(role),
  };
}

function readPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new UsageError(`Expected --port to be a whole number from 0 to 65535, got ${quote(text)}.`);
}
