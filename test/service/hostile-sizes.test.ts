/**
 * Requests that are made to take long, three times as large as the service accepts them. It answers one at a time: what
 * takes longer than its size would let the others wait for minutes here. The bench measures those of the right size.
 * Still larger bodies would be read in steps, as those of batches are.
 */
import { describe, expect, it, vi } from 'vitest';
import { MAX_BODY_BYTES, MAX_HEAD_BYTES } from '../../src/service/core/bounds.ts';
import { KEYS, largestAddresses, largestBodies, largestHeads } from './largest-requests.ts';
import { startService } from './testing.ts';

vi.mock('../../src/service/core/bounds.ts', async (original) => {
  const bounds = await original<typeof import('../../src/service/core/bounds.ts')>();
  return {
    ...bounds,
    MAX_BODY_BYTES: bounds.MAX_BODY_BYTES * 3,
    MAX_HEAD_BYTES: bounds.MAX_HEAD_BYTES * 16,
    MAX_PAIRS: bounds.MAX_PAIRS * 32,
  };
});

describe('an address does not stop the service for others', () => {
  it.each(largestAddresses(MAX_BODY_BYTES))('%s', async (_, request) => {
    expect(await startService().ask(request)).toMatchObject({ statusCode: 200 });
  });

  it('gets the result of an invalid address however long its domain is', async () => {
    const email = `a@${'一'.repeat(254)}`;
    expect((await startService().verify({ email })).json()).toMatchObject({
      state: 'undeliverable',
      reason: 'invalid_email',
      did_you_mean: null,
    });
  });
});

describe('a body does not stop the service for others', () => {
  it.each(largestBodies(MAX_BODY_BYTES))('%s', async (_, request) => {
    expect((await startService().ask(request)).statusCode).toBeLessThan(500);
  });
});

describe('a header does not stop a service with a thousand keys', () => {
  it.each(largestHeads(MAX_HEAD_BYTES))('%s', async (_, request) => {
    expect((await startService({ keys: KEYS }).ask(request)).statusCode).toBeGreaterThanOrEqual(400);
  });
});
