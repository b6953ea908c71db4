/** Runs one command line of `check`. The caller passes in the functions that read and print. */
import { hostname } from 'node:os';
import { createEngine } from '../../engine/engine.ts';
import { loadPublishedLists } from '../../engine/facts/lists.ts';
import { createEngineFacts } from '../../engine/facts/operator-lists.ts';
import { createMemoryPacing } from '../../engine/pacing/memory-pacing.ts';
import type { EvidenceStep, Verified } from '../../engine/verifier.ts';
import type { Environment } from '../../service/config/environment.ts';
import { type LiveSettings, settleLive } from '../../service/config/sections/live-section.ts';
import { UsageError } from '../../service/core/usage-error.ts';
import { inTurns } from '../in-turns.ts';
import { needLive, readWholeSettings } from '../settings.ts';
import { type CheckArguments, HELP, readArguments } from './check-arguments.ts';
import { countConfusion, type Expectation, readExpected, showConfusion } from './expected.ts';
import { showReading } from './read-reply.ts';
import { showStep, showVerified } from './show.ts';

export interface Surroundings {
  readonly environment: Environment;
  readonly readFile: (path: string) => string;
  /** Standard output. */
  readonly print: (text: string) => void;
  /** Standard error. */
  readonly say: (text: string) => void;
}

/** The number of addresses at the same time. Pacing holds their conversations back. */
const AT_ONCE = 200;

/** @throws {UsageError} for mistakes that the user can correct */
export async function runCheck(parameters: readonly string[], surroundings: Surroundings): Promise<void> {
  const wanted = readArguments(parameters);
  if (wanted.isHelp) return surroundings.print(HELP);
  if (wanted.reply) return surroundings.print(showReading(wanted.reply, wanted.json));
  const live = readLive(wanted, surroundings);
  const expectations = wanted.expected === undefined ? [] : readExpectations(wanted.expected, surroundings);
  const addresses = [...wanted.addresses, ...expectations.map(({ email }) => email)];
  const engine = createEngine({
    options: live,
    facts: createEngineFacts(loadPublishedLists(), live.listsFolder, (file, message) =>
      surroundings.say(`${file}: ${message}\n`),
    ),
    pacing: createMemoryPacing(),
    onFault: (error) => surroundings.say(`${error instanceof Error ? error.stack : String(error)}\n`),
  });
  const listen = (address: string) => (step: EvidenceStep) =>
    surroundings.say(`${addresses.length > 1 ? `${address}  ` : ''}${showStep(step)}\n`);
  const check = async (address: string): Promise<Verified> => {
    const { acceptAll, smtp, timeoutMs } = wanted;
    const tell = wanted.trace ? listen(address) : undefined;
    const verified = await engine.verifyWithin({ address, smtp, acceptAll, timeoutMs }, tell);
    show(verified, wanted, surroundings);
    return verified;
  };
  try {
    const all = await inTurns(addresses, AT_ONCE, check);
    if (expectations.length > 0)
      compare(all.slice(wanted.addresses.length), expectations, wanted, surroundings);
  } finally {
    await engine.close();
  }
}

function readLive(
  { config, smtp }: CheckArguments,
  { environment, readFile, say }: Surroundings,
): LiveSettings {
  const { live } = readWholeSettings(config, { environment, readFile });
  if (live || config !== undefined) return needLive(live);
  const helo = /^[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(hostname()) ? hostname().toLowerCase() : 'localhost';
  if (smtp) {
    say(
      `Without --config, mail servers get the name ${helo} and the null sender. Many refuse a name that the DNS does not confirm.\n`,
    );
  }
  return settleLive({ helo, mailFrom: '' }, process.cwd());
}

function readExpectations(path: string, { readFile }: Surroundings): readonly Expectation[] {
  try {
    return readExpected(readFile(path));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`Expected a readable file after --expected, got ${path} (${code}).`);
  }
}

function show(verified: Verified, { json, trace }: CheckArguments, { print }: Surroundings): void {
  // The steps of a trace have been printed as they were made.
  const shown = trace ? { ...verified, evidence: [] } : verified;
  print(json ? `${JSON.stringify(verified.result)}\n` : showVerified(shown));
}

function compare(
  all: readonly Verified[],
  expectations: readonly Expectation[],
  { json }: CheckArguments,
  { print, say }: Surroundings,
): void {
  const pairs = expectations.map(({ state }, index) => ({ expected: state, got: all[index]!.result.state }));
  // With --json, standard output contains only results.
  (json ? say : print)(showConfusion(countConfusion(pairs)));
}
