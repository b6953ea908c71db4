/**
 * Answers for test keys. What can be told from the address alone is true; what a mail server would have said
 * is drawn from a hash of it. Asks nobody.
 */
import { toAsciiDomain } from '../address/domain.ts';
import { splitAddress } from '../address/parts.ts';
import { isAddress } from '../address/syntax.ts';
import { isDisposable } from '../attributes/disposable.ts';
import { isFree } from '../attributes/free.ts';
import { isRole } from '../attributes/role.ts';
import { suggestAddress } from '../attributes/suggestion.ts';
import type { Verifier } from '../verify/verifier.ts';
import { drawFor } from './draw.ts';
import { sampleResult } from './sample-result.ts';
import { findTestAddress } from './test-addresses.ts';

export const sampleVerifier: Verifier = async (question) => {
  const { address } = question;
  const { user, domain } = splitAddress(address);
  const facts = {
    isAddress: isAddress(address),
    asciiDomain: toAsciiDomain(domain) ?? '',
    isDisposable,
    isFree,
    isRole,
    suggestAddress,
  };
  if (facts.isAddress && findTestAddress(user, domain) === null) return undefined;
  return sampleResult(question, facts, drawFor(address));
};
