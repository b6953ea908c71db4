/**
 * Answers for test keys. What can be told from the address alone is true; what a mail server would have said
 * is drawn from a hash of it. Asks nobody.
 */
import { toAsciiDomain } from '../engine/address/domain.ts';
import { splitAddress } from '../engine/address/parts.ts';
import { isAddress } from '../engine/address/syntax.ts';
import type { Facts } from '../engine/facts/facts.ts';
import type { Verifier } from '../engine/verifier.ts';
import { drawFor } from './draw.ts';
import { sampleResult } from './sample-result.ts';
import { findTestAddress } from './test-addresses.ts';

/** The test address that never gets a result. */
const NEVER = { result: undefined, later: undefined };
/** A sample result has no evidence: no server was contacted. */
const NO_EVIDENCE = [] as const;

export function createSampleVerifier(facts: Facts): Verifier {
  return async (request) => {
    const { address } = request;
    const { user, domain } = splitAddress(address);
    const about = { ...facts, isAddress: isAddress(address), asciiDomain: toAsciiDomain(domain) ?? '' };
    if (about.isAddress && findTestAddress(user, domain) === null) return NEVER;
    return { result: sampleResult(request, about, drawFor(address)), evidence: NO_EVIDENCE };
  };
}
