/** The playground says beforehand what becomes of its addresses. */
import { expect, it } from 'vitest';
import { createFacts } from '../../../src/engine/facts/create-facts.ts';
import { loadPublishedLists } from '../../../src/engine/facts/lists.ts';
import { createSampleVerifier } from '../../../src/sample/sample-verifier.ts';
import { importDemo } from './modules.ts';

interface Known {
  readonly address: string;
  readonly state?: string;
  readonly suggestion?: string;
}

const { TEST_ADDRESSES } = await importDemo('playground/test-addresses.js');
const verifier = createSampleVerifier(createFacts(loadPublishedLists()));

it.each((TEST_ADDRESSES as Known[]).filter(({ state }) => state))(
  'says the sample result of $address',
  async ({ address, state, suggestion = null }) => {
    const { result } = await verifier({ address, smtp: true, acceptAll: false, timeoutMs: 5_000 });
    expect(result).toMatchObject({ state, did_you_mean: suggestion });
  },
);
