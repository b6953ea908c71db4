/** The steps of stopping: their order, and what a step that hangs may hold up. */
import { describe, expect, it } from 'vitest';
import { endAll } from '../../src/service/stop.ts';

describe('stopping', () => {
  it('runs the steps in order, and each learns how much time is left', async () => {
    const lefts: number[] = [];
    const end = async (leftMs: number) => void lefts.push(leftMs);
    await endAll([end, end]);
    expect(lefts).toHaveLength(2);
    for (const left of lefts) expect(left).toBeGreaterThan(13_000);
    expect(lefts[1]).toBeLessThanOrEqual(lefts[0]!);
  });

  it('ends within 15 seconds although the database hangs', { timeout: 20_000 }, async () => {
    const start = performance.now();
    await endAll([async () => {}, () => new Promise(() => {})]);
    expect(performance.now() - start).toBeLessThan(15_000);
  });
});
