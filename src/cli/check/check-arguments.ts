/** The command line of `check`: addresses and flags. A mistake gets one clear sentence. */
import { eachOnce, splitArguments } from '../../service/core/arguments.ts';
import { quote, UsageError } from '../../service/core/usage-error.ts';
import { type ReplyArguments, readReplyArguments } from './read-reply.ts';

export interface CheckArguments {
  readonly isHelp: boolean;
  readonly addresses: readonly string[];
  /** The service's config file. */
  readonly config: string | undefined;
  /** Print one JSON object per line for each address. */
  readonly json: boolean;
  /** Print every question and reply with its time. */
  readonly trace: boolean;
  /** The time limit for each address. */
  readonly timeoutMs: number;
  readonly acceptAll: boolean;
  readonly smtp: boolean;
  /** A CSV file with addresses and their known states. */
  readonly expected: string | undefined;
  /** A reply to read, instead of addresses to verify. */
  readonly reply: ReplyArguments | undefined;
}

const DEFAULT_TIMEOUT_S = 10;

/** Each flag, and whether it takes a value. */
const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['config', true],
  ['json', false],
  ['trace', false],
  ['timeout', true],
  ['accept-all', false],
  ['no-smtp', false],
  ['expected', true],
  ['reply', true],
  ['stage', true],
  ['host', true],
  ['recipient', true],
  ['help', false],
]);

export const HELP = `Usage: npm run --silent check -- ADDRESS… [FLAGS]

Verifies addresses as a live key does, and explains each verdict.

  --config FILE    the service's config. Only its section "live" counts
  --timeout S      seconds for each address, a whole number from 2 to 10 (default ${DEFAULT_TIMEOUT_S})
  --accept-all     find out whether the server accepts every address
  --no-smtp        ask only the DNS, and no mail server
  --json           print one line of JSON for each address
  --trace          print every question and every reply with its time, on standard error
  --expected FILE  compare with a CSV file of "email,state", and print how often each state was right
  --help           print this

With --reply, it asks nobody. It prints how the engine reads a reply of a mail server, and by which rule:

  --reply CODE     the code of the reply. Its lines follow as words, each in quotes. A whole line is taken too
  --stage STAGE    the command that it replies to: banner, ehlo, mail or rcpt (default rcpt)
  --host NAME      the mail server
  --recipient A    the address that was verified. Its echo in the reply does not count

Examples: npm run --silent check -- ada@example.org --config service.json --trace
          npm run --silent check -- --reply 550 "5.1.1 User unknown" --host mx.example.org
`;

/** @throws {UsageError} at the first mistake */
export function readArguments(parameters: readonly string[]): CheckArguments {
  const { words, given: texts } = splitArguments(parameters, {
    takesValue: (name) => FLAGS.get(name),
    expected: `Expected only ${[...FLAGS.keys()].map((name) => `--${name}`).join(', ')}`,
  });
  const given = eachOnce(texts);
  const addresses = words.map((word) => word.trim());
  const isHelp = given.has('help');
  const expected = given.get('expected');
  const reply = isHelp ? undefined : readReplyArguments(given, words);
  if (!isHelp && addresses.length === 0 && expected === undefined && reply === undefined)
    throw new UsageError('Expected at least one address, or --expected FILE. See --help.');
  return {
    ...{ isHelp, reply, addresses, expected, config: given.get('config') },
    ...{ json: given.has('json'), trace: given.has('trace') },
    ...{ acceptAll: given.has('accept-all'), smtp: !given.has('no-smtp') },
    timeoutMs: readTimeout(given.get('timeout')) * 1000,
  };
}

function readTimeout(text: string | undefined): number {
  if (text === undefined) return DEFAULT_TIMEOUT_S;
  if (/^([2-9]|10)$/.test(text)) return Number(text);
  throw new UsageError(`Expected --timeout to be a whole number from 2 to 10, got ${quote(text)}.`);
}
