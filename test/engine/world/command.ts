/**
 * Runs one command line of `npm run world`: a name server and mail servers on loopback, for trying the engine without the
 * Internet. It prints a config and an address for every line of the engine's table.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { STATE_OF_REASON } from '../../../src/protocol/state-of-reason.ts';
import { quote, UsageError } from '../../../src/service/core/usage-error.ts';
import { LISTS, listOf, MAILBOXES_OF_SURVEY, namesOf, SERVERS, SIGHTS } from './sights.ts';
import { startWorld, type World } from './world.ts';

const HELP = `Usage: npm run --silent world -- [--data FOLDER]

Starts a name server and mail servers on loopback, and prints a config and addresses for them. Ctrl+C ends it.

  --data FOLDER  where the config and a list for batches are written (default: a temporary folder, removed at the end)
  --help         print this
`;

/** @throws {UsageError} at the first thing that is not right */
function readArguments(parameters: readonly string[]): { isHelp: boolean; data: string | undefined } {
  const options = { data: { type: 'string' }, help: { type: 'boolean' } } as const;
  const { tokens } = parseArgs({ args: [...parameters], options, strict: false, tokens: true });
  let data: string | undefined;
  for (const token of tokens) {
    if (token.kind === 'option' && token.name === 'help') return { isHelp: true, data };
    if (token.kind === 'option-terminator') continue;
    if (token.kind !== 'option' || token.name !== 'data') {
      const got = token.kind === 'option' ? token.rawName : token.value;
      throw new UsageError(`Expected only --data FOLDER or --help, got ${quote(got)}.`);
    }
    if (data !== undefined) throw new UsageError('Expected --data once, got it twice.');
    if (!token.value) throw new UsageError('Expected a folder after --data, got nothing.');
    data = resolve(token.value);
  }
  return { isHelp: false, data };
}

/** How many lines the list for batches has: more than a response holds, so that there is a download. */
const LIST_LENGTH = 2_000;

interface Written {
  readonly config: string;
  readonly list: string;
  readonly mailboxes: string;
}

function writeFiles(folder: string, isKept: boolean, { live }: World): Written {
  const config = {
    live: {
      ...live,
      perHost: { connections: 10, perMinute: 1000 },
      // Soon, so that a batch shows what greylisting does.
      greylistRetries: [2, 4],
      listsFolder: 'world-lists',
    },
    // A temporary folder goes with the world, and a database in it would go under a running service.
    ...(isKept ? { database: 'database' } : {}),
    // Whoever tries callbacks without the Internet receives them on loopback.
    callbacks: { allowPrivateAddresses: true },
  };
  const written = {
    config: join(folder, 'world.json'),
    list: join(folder, 'addresses.txt'),
    mailboxes: join(folder, 'mailboxes.txt'),
  };
  try {
    mkdirSync(join(folder, 'world-lists'), { recursive: true });
    writeFileSync(written.config, `${JSON.stringify(config, null, 2)}\n`);
    writeFileSync(written.list, `${listOf(LIST_LENGTH).join('\n')}\n`);
    writeFileSync(written.mailboxes, `${MAILBOXES_OF_SURVEY.join('\n')}\n`);
    for (const [list, entry] of Object.entries(LISTS)) {
      writeFileSync(join(folder, 'world-lists', `${list}.txt`), `${entry}\n`);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`Expected a folder that can be written to, got ${quote(folder)} (${code}).`);
  }
  return written;
}

/** A word as a shell reads it. */
const inShell = (word: string) =>
  /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

function describe({ config, list, mailboxes }: Written, { dns, servers, live }: World): string {
  const lines = SIGHTS.map(({ address, what, flags, reason }) => {
    const command = ['npm run --silent check --', inShell(address), flags, `--config ${inShell(config)}`];
    const verdict = `${STATE_OF_REASON[reason]} (${reason})`;
    return `${what}: ${verdict}\n  ${command.filter((part) => part !== undefined).join(' ')}`;
  });
  return `${[
    `The name server is ${dns.address}, and ${servers.size} mail servers share port ${live.smtpPort} on loopback.`,
    `config ${config}`,
    `list   ${list} (${LIST_LENGTH} addresses, for a batch)`,
    `survey npm run --silent admin -- survey --mailboxes ${inShell(mailboxes)} --config ${inShell(config)}`,
    '',
    ...lines,
    '',
    'Add --trace to a command to see the whole conversation. Ctrl+C ends the world.',
  ].join('\n')}\n`;
}

/**
 * @param parameters the command line
 * @param print standard output
 * @param ended when the world ends. Called before anything is started
 * @throws {UsageError} for mistakes that the user can correct
 */
export async function runWorld(
  parameters: readonly string[],
  print: (text: string) => void,
  ended: () => Promise<void>,
): Promise<void> {
  const { isHelp, data } = readArguments(parameters);
  if (isHelp) return print(HELP);
  const end = ended();
  const world = await startWorld(SERVERS);
  for (const [name, entry] of Object.entries(namesOf((domain) => world.server(domain).ip))) {
    world.dns.set(name, entry);
  }
  const folder = data ?? mkdtempSync(join(tmpdir(), 'world-'));
  try {
    print(describe(writeFiles(folder, data !== undefined, world), world));
    await end;
  } finally {
    await world.close();
    if (data === undefined) rmSync(folder, { recursive: true, force: true });
  }
}
