/** Doctor as the engine and the admin command use it: with real sockets, in bounded time. */
import { contactable } from '../../shared/public-ip.ts';
import type { Resolver } from '../dns/resolver.ts';
import type { EngineOptions } from '../options.ts';
import { type Signal, within } from '../signal.ts';
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
export function createDoctor(options: EngineOptions, resolver: Resolver, closing?: Signal): Doctor {
  const { localAddresses, socksProxies, smtpPort: port, allowPrivateAddresses } = options;
  const sources = createSources(localAddresses, socksProxies);
  const connect = createTryConnect(sources, port, contactable(allowPrivateAddresses));
  return {
    diagnose: (blockLists) =>
      within(LONGEST_MS, closing, (signal) =>
        diagnose({ options: { ...options, blockLists }, resolver, connect }, signal),
      ),
    async isPortClosed() {
      const check = (signal: Signal) => checkPort({ options, resolver, connect }, signal);
      return (await within(LONGEST_MS, closing, check)).isClosed;
    },
  };
}
