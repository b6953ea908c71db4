/** What a verification does about faults of its own parts. */
import { expect, it } from 'vitest';
import { createEngine } from '../../src/engine/engine.ts';
import { DEFAULT_ENGINE_OPTIONS } from '../../src/engine/options.ts';
import { createMemoryPacing } from '../../src/engine/pacing/memory-pacing.ts';

const fault = new Error('a list that cannot be read');
const fail = () => {
  throw fault;
};

it('verifies an address although its lists throw, and reports the fault', async () => {
  const faults: unknown[] = [];
  const engine = createEngine({
    options: { ...DEFAULT_ENGINE_OPTIONS, helo: 'verify.test', mailFrom: '' },
    facts: {
      ...{ isDisposable: fail, isFree: fail, isRole: fail, isBlocked: fail, suggestAddress: fail },
      findListed: fail,
    },
    pacing: createMemoryPacing(),
    onFault: (error) => faults.push(error),
  });
  const request = { address: 'ada@localhost', smtp: true, acceptAll: false, timeoutMs: 1000 };
  const { result } = await engine.verifyWithin(request);
  expect(result).toMatchObject({ reason: 'invalid_domain', disposable: false, did_you_mean: null });
  expect(faults).toEqual([fault]);
  await engine.close();
});
