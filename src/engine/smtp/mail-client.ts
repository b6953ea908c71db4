/** Verifies addresses at mail servers. */
import type { EngineOptions } from '../options.ts';
import type { Pacing } from '../pacing/pacing.ts';
import { askHost } from './ask-host.ts';
import { ehlo, mailFrom } from './commands.ts';
import { createConnections } from './connections.ts';
import type { Asker } from './exchange.ts';
import type { MailQuestion, Observation } from './observation.ts';
import { createSources } from './sources.ts';

export type { MailQuestion, Observation } from './observation.ts';

export interface MailClient {
  /** Never rejects, and resolves at most 200 ms after the signal. */
  ask(question: MailQuestion): Promise<Observation>;
  /** Waits for running conversations, and starts no new ones. */
  close(): Promise<void>;
}

export interface MailClientOptions
  extends Asker,
    Pick<EngineOptions, 'smtpPort' | 'localAddresses' | 'socksProxies' | 'perHost'> {
  /** Returns `false` for private IP addresses, unless they are allowed. */
  readonly mayContact: (ip: string) => boolean;
  readonly pacing: Pacing;
}

/** @throws if an option is wrong. The message does not quote it, because a proxy's URL may contain a password */
export function createMailClient(options: MailClientOptions): MailClient {
  // Throws now for a name or a sender that does not fit into a command. It would fail for every address.
  ehlo(options.helo);
  mailFrom(options.mailFrom, false);
  const connections = createConnections(options.pacing);
  const sources = createSources(options.localAddresses, options.socksProxies);
  const tools = { ...options, asker: options, connections, sources };
  const running = new Set<Promise<Observation>>();
  let isClosed = false;
  return {
    async ask(question) {
      if (isClosed) return { kind: 'held-back', why: 'connections' };
      const asked = askHost(tools, question).finally(() => running.delete(asked));
      running.add(asked);
      return asked;
    },
    async close() {
      isClosed = true;
      while (running.size > 0) await Promise.all(running);
      await connections.close();
    },
  };
}
