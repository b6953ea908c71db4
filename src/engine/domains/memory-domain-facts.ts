/** Remembers the facts of domains within one process: for the command `check`, and for tests. */
import {
  type DomainFact,
  type DomainFacts,
  freshSeconds,
  LONGEST_CLAIM_S,
  type MailDomain,
  type Standing,
} from './domain-facts.ts';

/** Beyond this number, the oldest are forgotten. */
const MOST_DOMAINS = 50_000;

export interface MemoryDomainFactsOptions {
  /** @default the system's clock */
  readonly now?: () => Date;
  /** @default more than a list usually has */
  readonly mostDomains?: number;
}

export interface MemoryDomainFacts extends DomainFacts {
  /** The number of domains in memory. */
  readonly size: number;
}

interface Entry {
  readonly organisation: string;
  readonly until: number;
  /** Absent while a conversation asks. */
  readonly fact?: DomainFact;
}

export function createMemoryDomainFacts(options: MemoryDomainFactsOptions = {}): MemoryDomainFacts {
  const { now = () => new Date(), mostDomains = MOST_DOMAINS } = options;
  const entries = new Map<string, Entry>();
  const waiting = new Set<() => void>();

  function remember(name: string, entry: Entry): void {
    entries.delete(name);
    entries.set(name, entry);
    if (entries.size > mostDomains) entries.delete(entries.keys().next().value!);
  }

  function standingOf({ name, organisation }: MailDomain): Standing {
    const entry = entries.get(name);
    if (!entry || entry.until <= now().getTime()) return { kind: 'unknown' };
    if (!entry.fact) return { kind: 'asked' };
    return entry.organisation === organisation ? { kind: 'known', fact: entry.fact } : { kind: 'unknown' };
  }

  return {
    get size() {
      return entries.size;
    },
    look: async (domain) => standingOf(domain),
    async claim(domain) {
      const standing = standingOf(domain);
      if (standing.kind !== 'unknown') return standing;
      const { name, organisation } = domain;
      const claimed: Entry = { organisation, until: now().getTime() + LONGEST_CLAIM_S * 1000 };
      remember(name, claimed);
      return {
        kind: 'claimed',
        async end(answer) {
          // Another may have claimed it after a minute.
          if (entries.get(name) !== claimed) return;
          if (answer) {
            const learntAt = now();
            const until = learntAt.getTime() + freshSeconds(answer) * 1000;
            remember(name, { organisation, until, fact: { ...answer, learntAt } });
          } else entries.delete(name);
          for (const wake of [...waiting]) wake();
        },
      };
    },
    async settled(domain, signal) {
      for (;;) {
        const standing = standingOf(domain);
        if (standing.kind !== 'asked' || signal.aborted) return standing;
        await new Promise<void>((resolve) => {
          const wake = () => {
            waiting.delete(wake);
            signal.removeEventListener('abort', wake);
            resolve();
          };
          waiting.add(wake);
          signal.addEventListener('abort', wake);
        });
      }
    },
  };
}
