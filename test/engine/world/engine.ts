/** The whole engine in a world of scripted servers, and what must hold for every conversation that it has. */
import { afterAll, expect } from 'vitest';
import { createEngine, type Engine, type EngineParts } from '../../../src/engine/engine.ts';
import { loadPublishedLists } from '../../../src/engine/facts/lists.ts';
import { createEngineFacts } from '../../../src/engine/facts/operator-lists.ts';
import { DEFAULT_ENGINE_OPTIONS, type EngineOptions } from '../../../src/engine/options.ts';
import { createMemoryPacing } from '../../../src/engine/pacing/memory-pacing.ts';
import type { EvidenceStep, VerificationRequest, Verified } from '../../../src/engine/verifier.ts';
import type { VerificationResult } from '../../../src/protocol/result.ts';
import { ended } from './clock.ts';
import type { Zone } from './dns-zone.ts';
import type { MailScript } from './mail-script.ts';
import type { MailServer } from './mail-server.ts';
import { startWorld, type World } from './world.ts';

const packagedFacts = createEngineFacts(loadPublishedLists());

type How = Partial<Omit<VerificationRequest, 'address'>>;

/** An engine whose verifications move a clock that stands still, until they end. */
export interface EngineInWorld {
  readonly engine: Engine;
  /** What the engine could only call `unexpected_error`. */
  readonly faults: readonly unknown[];
  verify(address: string, how?: How): Promise<Verified>;
  /** The result alone. */
  check(address: string, how?: How): Promise<VerificationResult>;
  /** Ends the conversations, and checks every line that the world's servers were sent. */
  close(): Promise<void>;
}

export function engineIn(
  world: { readonly live: World['live']; readonly servers: { values(): Iterable<MailServer> } },
  options: Partial<EngineOptions> = {},
  parts: Partial<Pick<EngineParts, 'domainFacts' | 'facts'>> = {},
): EngineInWorld {
  const faults: unknown[] = [];
  const engine = createEngine({
    options: {
      ...DEFAULT_ENGINE_OPTIONS,
      ...world.live,
      perHost: { connections: 10, perMinute: 1_000_000, recipientsPerConnection: 20 },
      ...options,
    },
    facts: packagedFacts,
    pacing: createMemoryPacing(),
    ...parts,
    onFault: (error) => faults.push(error),
  });
  const verify = (address: string, how: How = {}) =>
    ended(engine.verifyWithin({ address, smtp: true, acceptAll: false, timeoutMs: 5000, ...how }));
  return {
    engine,
    faults,
    verify,
    check: async (address, how) => (await verify(address, how)).result,
    async close() {
      await ended(engine.close());
      for (const server of world.servers.values()) {
        await ended(server.whenEmpty());
        expectOrder(server);
      }
      expect(faults).toEqual([]);
    },
  };
}

/** A world, and an engine in it, for the tests of a file. Both end after them. */
export async function openWorld(
  scripts: Readonly<Record<string, MailScript>>,
  names: Zone = {},
  parts: Parameters<typeof engineIn>[2] = {},
): Promise<{ readonly world: World; readonly engine: EngineInWorld }> {
  const world = await startWorld(scripts, names);
  const engine = engineIn(world, {}, parts);
  afterAll(async () => {
    await engine.close();
    await world.close();
  });
  return { world, engine };
}

const ALLOWED =
  /^(?:(?:EHLO|HELO) \S+|STARTTLS|MAIL FROM:<[^\r\n]*>(?: SMTPUTF8)?|RCPT TO:<[^\r\n]*>|RSET|QUIT)$/;

/** One command at a time, none but those that verification needs, and one recipient in each transaction. */
export function expectOrder(server: MailServer): void {
  expect(server.log.filter(({ early }) => early)).toEqual([]);
  expect(server.lines().filter((line) => !ALLOWED.test(line))).toEqual([]);
  for (let connection = 1; connection <= server.connections; connection += 1) {
    const verbs = server
      .lines(connection)
      .map((line) => line.split(/[ :]/)[0])
      .join(' ');
    expect(verbs).not.toMatch(/RCPT (?!RSET|QUIT)|QUIT /);
  }
}

/** What the evidence says, as one text. */
export const told = (steps: readonly EvidenceStep[]): string => JSON.stringify(steps);
