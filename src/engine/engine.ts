/** Puts the engine together: lists, DNS, pacing and mail servers behind one function. */
import { contactable } from '../shared/public-ip.ts';
import { within } from '../shared/within.ts';
import { createResolver } from './dns/create-resolver.ts';
import { createIpv6Check } from './dns/ipv6.ts';
import { createDoctor, type Doctor } from './doctor/create-doctor.ts';
import type { DomainFacts } from './domains/domain-facts.ts';
import { createMemoryDomainFacts } from './domains/memory-domain-facts.ts';
import type { EngineOptions } from './options.ts';
import { createFindOrganisation, type FindOrganisation } from './organisation.ts';
import type { Pacing } from './pacing/pacing.ts';
import { readReply } from './replies/classify.ts';
import { forTrace } from './replies/trace.ts';
import { OwnSignal } from './signal.ts';
import { createMailClient } from './smtp/mail-client.ts';
import type { EvidenceStep, VerificationRequest, Verified, Verifier } from './verifier.ts';
import { type VerifyParts, verify } from './verify.ts';

/**
 * How long a verification goes on after its caller stopped waiting. It is longer than any caller waits, and short enough
 * to finish while the service stops.
 */
const WHOLE_BUDGET_MS = 12_000;

export interface EngineParts extends Pick<VerifyParts, 'facts' | 'onFault' | 'onAsked'> {
  readonly options: EngineOptions;
  readonly pacing: Pacing;
  /** What is known of domains. @default it is remembered in this process */
  readonly domainFacts?: DomainFacts;
  /** @default Math.random */
  readonly random?: () => number;
}

export interface Engine extends Doctor {
  /** Resolves at the latest when the caller's time is over. The verification then goes on, up to 12 seconds in all. */
  readonly verifier: Verifier;
  /** Resolves with a result within `timeoutMs`, if only with the reason `timeout`. */
  verifyWithin(request: VerificationRequest, listen?: (step: EvidenceStep) => void): Promise<Verified>;
  /** Finds out from the DNS who runs the mail servers of an address; `undefined` if there are none or the DNS fails. */
  readonly findOrganisation: FindOrganisation;
  /** Ends running verifications, with the reason `timeout`. */
  close(): Promise<void>;
}

export function createEngine({ options, pacing, ...given }: EngineParts): Engine {
  const { allowPrivateAddresses, localAddresses } = options;
  const mayContact = contactable(allowPrivateAddresses);
  const resolver = createResolver({ servers: options.dns });
  const mailClient = createMailClient({ ...options, pacing, mayContact, readReply, forTrace });
  const closing = new OwnSignal();
  const parts: VerifyParts = {
    ...{ domainFacts: createMemoryDomainFacts(), random: Math.random, ...given },
    ...{ resolver, mailClient, allowPrivateAddresses, closing },
    usesIpv6: createIpv6Check({ resolver, localAddresses }),
  };
  return {
    ...createDoctor(options, resolver, closing),
    findOrganisation: createFindOrganisation(parts),
    verifyWithin: (request, listen) => verify(request, parts, request.timeoutMs, listen),
    async verifier(request) {
      const later = verify(request, parts, Math.max(WHOLE_BUDGET_MS, request.timeoutMs));
      return (await within(request.timeoutMs, later)) ?? { result: undefined, later };
    },
    async close() {
      closing.abort();
      await mailClient.close();
      resolver.close();
    },
  };
}
