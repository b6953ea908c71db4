/**
 * Makes the sample results of test keys. The facts about the address are true. The replies of the mail server are drawn
 * from a hash of the address. It contacts no server.
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

/** @param hasTestAddresses whether the test addresses get their fixed results. In batches they do not. */
export function createSampleVerifier(facts: Facts, hasTestAddresses = true): Verifier {
  return async (request) => {
    const { address } = request;
    const { user, domain } = splitAddress(address);
    const about = { facts, isAddress: isAddress(address), asciiDomain: toAsciiDomain(domain) ?? '' };
    if (hasTestAddresses && about.isAddress && findTestAddress(user, domain) === null) return NEVER;
    const result = sampleResult(request, about, drawFor(address), hasTestAddresses);
    return { result, evidence: NO_EVIDENCE };
  };
}
