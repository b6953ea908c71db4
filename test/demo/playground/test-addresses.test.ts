import { expect, test } from 'vitest';
import { createFacts } from '../../../src/engine/facts/create-facts.ts';
import { loadPublishedLists } from '../../../src/engine/facts/lists.ts';
import { createSampleVerifier } from '../../../src/sample/sample-verifier.ts';
import { importDemo } from './modules.ts';

interface Told {
  readonly address: string;
  readonly state?: string;
  readonly suggestion?: string;
}
const { TEST_ADDRESSES } = (await importDemo('playground/test-addresses.js')) as {
  readonly TEST_ADDRESSES: readonly Told[];
};

test('announces the state and the suggestion that a test key gets for each address', async () => {
  const verify = createSampleVerifier(createFacts(loadPublishedLists()));
  const told = TEST_ADDRESSES.filter(({ state }) => state);
  const got = await Promise.all(
    told.map(async ({ address }) => {
      const { result } = await verify({ address, smtp: true, acceptAll: false, timeoutMs: 5000 });
      return [address, result?.state, result?.did_you_mean];
    }),
  );
  expect(got).toEqual(told.map(({ address, state, suggestion }) => [address, state, suggestion ?? null]));
});
