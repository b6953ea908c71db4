/** Doctor as the engine and the admin command use it: with real sockets, in bounded time. */
import { contactable } from '../../shared/public-ip.ts';
import { createBudget } from '../budget.ts';
import type { Resolver } from '../dns/resolver.ts';
import type { EngineOptions } from '../options.ts';
import { createSources } from '../smtp/sources.ts';
import { type Diagnosis, diagnose } from './doctor.ts';
import { checkPort } from './port.ts';
import { createTryConnect } from './try-connect.ts';

export interface Doctor {
  /** Checks everything outside the service that verification depends on. Takes some seconds. */
  diagnose(blockLists: readonly string[]): Promise<Diagnosis>;
  /** Whether port 25 is closed for certain. */
  isPortClosed(): Promise<boolean>;
}

/** Long enough for TCP to repeat a dropped packet, which it does after 1, 3 and 7 seconds. */
const LONGEST_MS = 8000;

/** @param closing ends running checks */
export function createDoctor(options: EngineOptions, resolver: Resolver, closing?: AbortSignal): Doctor {
  const { localAddresses, socksProxies, smtpPort: port, allowPrivateAddresses } = options;
  const sources = createSources(localAddresses, socksProxies);
  const connect = createTryConnect(sources, port, contactable(allowPrivateAddresses));
  /** Runs with a signal that ends it in time. */
  const within = async <Value>(work: (signal: AbortSignal) => Promise<Value>): Promise<Value> => {
    const budget = createBudget(LONGEST_MS, LONGEST_MS, closing);
    try {
      return await work(budget.signal);
    } finally {
      budget.end();
    }
  };
  return {
    diagnose: (blockLists) =>
      within((signal) => diagnose({ options: { ...options, blockLists }, resolver, connect }, signal)),
    isPortClosed: () =>
      within(async (signal) => {
        const { isClosed } = await checkPort({ resolver, connect, port, allowPrivateAddresses }, signal);
        return isClosed;
      }),
  };
}
