/**
 * Remembers the facts of domains for all processes, in the database, by the same rules as `MemoryDomainFacts`.
 *
 * Without the database it cannot be known whether another process asks, so nobody asks: batches wait, and requests go on
 * without.
 */
import { randomUUID } from 'node:crypto';
import type {
  Claim,
  DomainFacts,
  MailDomain,
  ProbeAnswer,
  Standing,
} from '../../../engine/domains/domain-facts.ts';
import type { Signal } from '../../../engine/signal.ts';
import { describeError } from '../../core/log.ts';
import { coalesce } from '../../database/coalesce.ts';
import type { Deps } from '../../deps/deps.ts';
import { claimFact, dropClaim, readFacts, storeAnswer } from './domain-facts-store.ts';

const COALESCED = { atOnce: 2, most: 100 };

/** How soon those who wait notice an answer. All of a process share the question. */
const POLL_MS = 100;

export interface StoredDomainFactsOptions extends Pick<Deps, 'db' | 'log' | 'processId'> {
  /** The time, for tests. @default the database's */
  readonly now?: () => Date;
}

/** Each process has one. */
export function createStoredDomainFacts(options: StoredDomainFactsOptions): DomainFacts {
  const { db, log, processId, now } = options;
  const read = coalesce(async (names: readonly string[]) => {
    const facts = new Map((await readFacts(db, names, now?.())).map((fact) => [fact.name, fact]));
    return names.map((name) => facts.get(name));
  }, COALESCED);
  const report = (error: unknown) => log('warn', 'facts of domains unavailable', describeError(error));

  async function standingOf({ name, organisation }: MailDomain): Promise<Standing> {
    try {
      const stored = await read(name);
      if (stored?.isAsked) return { kind: 'asked' };
      if (stored?.organisation !== organisation) return { kind: 'unknown' };
      return { kind: 'known', fact: stored.fact! };
    } catch (error) {
      report(error);
      return { kind: 'asked' };
    }
  }

  const facts: DomainFacts = {
    look: (domain, signal) => orAborted(standingOf(domain), signal),

    async claim(domain, signal) {
      const claimId = randomUUID();
      const end = async (answer: ProbeAnswer | undefined) => {
        try {
          if (answer) await storeAnswer(db, domain.name, claimId, answer, now?.());
          else await dropClaim(db, domain.name, claimId);
        } catch (error) {
          // The claim ends by itself.
          report(error);
        }
      };
      const claiming = claimFact(db, processId, claimId, domain, now?.()).catch((error) => {
        report(error);
        return false;
      });
      const claimed = await orAborted(claiming, signal);
      if (claimed === true) return { kind: 'claimed', end } satisfies Claim;
      // If it comes too late, nobody else should wait for it.
      if (claimed !== false) void claiming.then((isClaimed) => (isClaimed ? end(undefined) : undefined));
      const standing = await facts.look(domain, signal);
      // Another has just given it back.
      return standing.kind === 'unknown' ? { kind: 'asked' } : standing;
    },

    async settled(domain, signal) {
      for (;;) {
        const standing = await facts.look(domain, signal);
        if (standing.kind !== 'asked' || signal.aborted) return standing;
        await orAborted(new Promise<void>((resolve) => setTimeout(resolve, POLL_MS)), signal);
      }
    },
  };
  return facts;
}

/** @returns `{ kind: 'asked' }` if the signal aborts first, because nothing is known then */
async function orAborted<Result>(
  working: Promise<Result>,
  signal: Signal,
): Promise<Result | { readonly kind: 'asked' }> {
  if (signal.aborted) return { kind: 'asked' };
  return new Promise((resolve) => {
    const abort = () => resolve({ kind: 'asked' });
    signal.addEventListener('abort', abort);
    void working.then((result) => {
      signal.removeEventListener('abort', abort);
      resolve(result);
    });
  });
}
