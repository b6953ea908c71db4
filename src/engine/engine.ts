/** Puts the engine together: lists, DNS, pacing and mail servers behind one function. */
import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { contactable } from '../network/public-ip.ts';
import { createResolver } from './dns/create-resolver.ts';
import { createIpv6Check } from './dns/ipv6.ts';
import { createDoctor, type Doctor } from './doctor/create-doctor.ts';
import type { EngineFacts } from './facts/facts.ts';
import type { EngineOptions } from './options.ts';
import { createFindOrganisation, type FindOrganisation } from './organisation.ts';
import type { Pacing } from './pacing/pacing.ts';
import { readReply } from './replies/classify.ts';
import { forTrace } from './replies/trace.ts';
import { createMailClient } from './smtp/mail-client.ts';
import type { EvidenceStep, VerificationRequest, Verified, Verifier } from './verifier.ts';
import { type VerifyParts, verify } from './verify.ts';

/**
 * How long a verification goes on if its caller gave up waiting: longer than any caller waits, and short enough that a
 * service which stops can finish it.
 */
const WHOLE_BUDGET_MS = 12_000;

export interface EngineParts {
  readonly options: EngineOptions;
  readonly facts: EngineFacts;
  readonly pacing: Pacing;
  /** @default Math.random */
  readonly random?: () => number;
  /** Hears of faults that a result can only call `unexpected_error`. */
  readonly onFault: (error: unknown) => void;
  /** Hears what became of each address at each mail host. */
  readonly onAsked?: VerifyParts['onAsked'];
}

export interface Engine extends Doctor {
  /** Resolves when the caller's time is over. The verification goes on after that for up to 12 seconds in all. */
  readonly verifier: Verifier;
  /** Resolves with a result by the end of `timeoutMs`, even if that says `timeout`. */
  verifyWithin(request: VerificationRequest, listen?: (step: EvidenceStep) => void): Promise<Verified>;
  /** Who runs the mail servers of an address, by the DNS. Undefined if there are none, or if it cannot be found out. */
  readonly findOrganisation: FindOrganisation;
  /** Ends what runs: its result is `timeout`. */
  close(): Promise<void>;
}

export function createEngine({
  options,
  facts,
  pacing,
  random = Math.random,
  onFault,
  onAsked,
}: EngineParts): Engine {
  const mayContact = contactable(options.allowPrivateAddresses);
  const resolver = createResolver({ servers: options.dns });
  const mailClient = createMailClient({ ...options, pacing, mayContact, readReply, forTrace });
  const closing = new AbortController();
  // Each verification listens.
  setMaxListeners(0, closing.signal);
  const parts: VerifyParts = {
    facts,
    resolver,
    mailClient,
    allowPrivateAddresses: options.allowPrivateAddresses,
    usesIpv6: createIpv6Check({ resolver, localAddresses: options.localAddresses }),
    closing: closing.signal,
    random,
    onFault,
    onAsked,
  };
  return {
    ...createDoctor(options, resolver, closing.signal),
    findOrganisation: createFindOrganisation(parts),
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
      closing.abort();
      await mailClient.close();
      resolver.close();
    },
  };
}
