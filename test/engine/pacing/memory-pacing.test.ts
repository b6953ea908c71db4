import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createMemoryPacing } from '../../../src/engine/pacing/memory-pacing.ts';
import type { Slot } from '../../../src/engine/pacing/pacing.ts';
import { describePacing } from './pacing-suite.ts';

const LIMITS = { connections: 2, perMinute: 60 };
const PATIENT_MS = 3_600_000;
const never = new AbortController().signal;

const fakeTimers = () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
afterEach(() => void vi.useRealTimers());

describePacing('pacing in memory', async () => {
  fakeTimers();
  return {
    pacings: [createMemoryPacing()],
    advance: async (ms) => void (await vi.advanceTimersByTimeAsync(ms)),
    consider: async () => {},
    spread: async () => {},
    close: async () => {},
  };
});

describe('memory', () => {
  beforeEach(fakeTimers);

  it('forgets organisations that are quiet, and remembers those that are not', async () => {
    const pacing = createMemoryPacing();
    const busy = (await pacing.enter('busy', LIMITS, 0, never)) as Slot;
    ((await pacing.enter('blocked', LIMITS, 0, never)) as Slot).leave(true);
    for (let number = 0; number < 200; number += 1) {
      ((await pacing.enter(`quiet ${number}`, LIMITS, 0, never)) as Slot).leave(false);
    }
    await vi.advanceTimersByTimeAsync(61_000);
    // As many as were there come anew, and two are looked at for each.
    for (let number = 0; number < 200; number += 1) {
      ((await pacing.enter(`new ${number}`, LIMITS, 0, never)) as Slot).leave(false);
    }
    expect(pacing.size).toBe(202);
    await pacing.enter('busy', LIMITS, 0, never);
    const third = pacing.enter('busy', LIMITS, PATIENT_MS, never);
    expect(await Promise.race([third, 'waiting'])).toBe('waiting');
    busy.leave(false);
    await third;
    ((await pacing.enter('blocked', LIMITS, 0, never)) as Slot).leave(true);
    expect(await pacing.enter('blocked', LIMITS, 3_000, never)).toBe('paused');
  });

  it('stays bounded although no organisation is quiet', async () => {
    const pacing = createMemoryPacing({ mostOrganisations: 100 });
    for (let number = 0; number < 300; number += 1) {
      ((await pacing.enter(`blocked ${number}`, LIMITS, 0, never)) as Slot).leave(true);
    }
    expect(pacing.size).toBeLessThanOrEqual(101);
  });

  it('leaves no timer and no listener behind when all waiters have given up', async () => {
    const pacing = createMemoryPacing();
    ((await pacing.enter('blocked', LIMITS, 0, never)) as Slot).leave(true);
    const leaving = new AbortController();
    const removed = vi.spyOn(leaving.signal, 'removeEventListener');
    const waits = pacing.enter('blocked', LIMITS, PATIENT_MS, leaving.signal);
    expect(vi.getTimerCount()).toBe(1);
    leaving.abort();
    expect(await waits).toBe('paused');
    expect(vi.getTimerCount()).toBe(0);
    expect(removed).toHaveBeenCalledOnce();
  });
});
