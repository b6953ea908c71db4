/** Puts the engine together: lists, DNS, pacing and mail servers behind one function. */
import { setTimeout as wait } from 'node:timers/promises';
import { isPublicIp } from '../network/public-ip.ts';
import { createBudget } from './budget.ts';
import { createResolver } from './dns/create-resolver.ts';
import { createIpv6Check } from './dns/ipv6.ts';
import { findMailHosts } from './dns/mail-hosts.ts';
import { type Diagnosis, diagnose } from './doctor/doctor.ts';
import { checkPort } from './doctor/port.ts';
import { createTryConnect } from './doctor/try-connect.ts';
import { describeAddress } from './facts/about.ts';
import type { EngineFacts } from './facts/facts.ts';
import type { EngineOptions } from './options.ts';
import type { Pacing } from './pacing/pacing.ts';
import { organisationOf } from './providers.ts';
import { readReply } from './replies/classify.ts';
import { forTrace } from './replies/trace.ts';
import { createMailClient } from './smtp/mail-client.ts';
import { createSources } from './smtp/sources.ts';
import type { EvidenceStep, VerificationRequest, Verified, Verifier } from './verifier.ts';
import { type VerifyParts, verify } from './verify.ts';

/**
 * How long a verification goes on if its caller gave up waiting. Some servers make strangers wait for their banner: 20
 * seconds pass all but the most patient.
 */
const WHOLE_BUDGET_MS = 20_000;
/** A packet that is dropped on its way is sent again after 1, 3 and 7 seconds. */
const DIAGNOSIS_MS = 8000;

export interface EngineParts {
  readonly options: EngineOptions;
  readonly facts: EngineFacts;
  readonly pacing: Pacing;
  /** @default Math.random */
  readonly random?: () => number;
  /** Hears of faults that a result can only call `unexpected_error`. */
  readonly onFault: (error: unknown) => void;
}

export interface Engine {
  /** Resolves when the caller's time is over. The verification goes on after that for up to 20 seconds in all. */
  readonly verifier: Verifier;
  /** Resolves with a result by the end of `timeoutMs`, even if that says `timeout`. */
  verifyWithin(request: VerificationRequest, listen?: (step: EvidenceStep) => void): Promise<Verified>;
  /** Who runs the mail servers of an address, by the DNS. Undefined if there are none, or if it cannot be found out. */
  organisationOf(address: string): Promise<string | undefined>;
  /** Looks at everything outside that verification depends on. Takes some seconds. */
  diagnose(blockLists: readonly string[]): Promise<Diagnosis>;
  /** Whether port 25 is closed for certain. */
  isPortClosed(): Promise<boolean>;
  /** Ends open conversations. Call it when no verification runs. */
  close(): Promise<void>;
}

export function createEngine({ options, facts, pacing, random = Math.random, onFault }: EngineParts): Engine {
  const mayContact = (ip: string) => options.allowPrivateAddresses || isPublicIp(ip);
  const resolver = createResolver({ servers: options.dns });
  const mailClient = createMailClient({ ...options, pacing, mayContact, readReply, forTrace });
  const parts: VerifyParts = {
    facts,
    resolver,
    mailClient,
    allowPrivateAddresses: options.allowPrivateAddresses,
    usesIpv6: createIpv6Check({ resolver, localAddresses: options.localAddresses }),
    random,
    onFault,
  };
  const connect = createTryConnect(
    createSources(options.localAddresses, options.socksProxies),
    options.smtpPort,
    mayContact,
  );
  /** Runs with a signal that ends it in time. */
  const within = async <Value>(work: (signal: AbortSignal) => Promise<Value>): Promise<Value> => {
    const budget = createBudget(DIAGNOSIS_MS, DIAGNOSIS_MS);
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
        const { smtpPort: port, allowPrivateAddresses } = options;
        return (await checkPort({ resolver, connect, port, allowPrivateAddresses }, signal)).isClosed;
      }),
    organisationOf: (address) =>
      within(async (signal) => {
        const { asciiDomain } = describeAddress(address, facts);
        if (asciiDomain === '') return undefined;
        const { allowPrivateAddresses } = options;
        const route = { resolver, allowPrivateAddresses, useIpv6: false, random };
        const found = await findMailHosts(asciiDomain, route, signal);
        return found.kind === 'hosts' ? organisationOf(found.hosts[0]!.name).id : undefined;
      }),
    verifyWithin: (request, listen) => verify(request, parts, request.timeoutMs, listen),
    async verifier(request) {
      const later = verify(request, parts, Math.max(WHOLE_BUDGET_MS, request.timeoutMs));
      const isDone = new AbortController();
      const late = wait(request.timeoutMs, undefined, { signal: isDone.signal }).catch(() => undefined);
      const verified = await Promise.race([later, late]);
      isDone.abort();
      return verified ?? { result: undefined, later };
    },
    async close() {
      await mailClient.close();
      resolver.close();
    },
  };
}
