/**
 * The cases of Dominic Sayers' is_email, as `isemail@1.2.0` ships them. Errors, and what only headers allow (RFC 5322,
 * obsolete forms, comments), are not addresses. The rest has a valid form.
 */
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { isAddress } from '../../../src/engine/address/syntax.ts';

const cases = createRequire(import.meta.url)('isemail-data/test/tests.json') as [string, string][];
const hasValidForm = (diagnosis: string) => /^(valid|dnsWarn|rfc5321)/.test(diagnosis);

it('has all cases of the collection', () => {
  expect(cases).toHaveLength(185);
});

describe('agrees with is_email', () => {
  it.each(cases)('about %j: %s', (address, diagnosis) => {
    expect(isAddress(address)).toBe(hasValidForm(diagnosis));
  });
});
