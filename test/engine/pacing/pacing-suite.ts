/** What holds for every `Pacing`. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HeldBack, Pacing, Slot } from '../../../src/engine/pacing/pacing.ts';
import { inLong } from '../../in-long.ts';

/** Processes that share a pacing, and their clock. */
export interface PacingWorld {
  /** All in one process are the same one. */
  readonly pacings: readonly Pacing[];
  /** Lets time pass for the pacing, and for those who wait. */
  advance(ms: number): Promise<void>;
  /** Waits until those who wait have been considered again. */
  consider(): Promise<void>;
  /** Waits until every process knows the ends of conversations. */
  spread(): Promise<void>;
  close(): Promise<void>;
}

const LIMITS = { connections: 2, perMinute: 60 };
/** Longer than any pause. */
const PATIENT_MS = 3_600_000;
const MINUTE_MS = 61_000;
const LONGEST_PAUSE_MS = 600_000;

/** @param create makes a world in which nobody has asked yet */
export function describePacing(name: string, create: () => Promise<PacingWorld>): void {
  describe(name, () => {
    let world: PacingWorld;
    let turn = 0;
    beforeEach(async () => {
      world = await create();
      turn = 0;
    });
    afterEach(() => world.close());

    /** Each call comes from the next process. */
    function enter(
      { organisation = 'Example', limits = LIMITS, withinMs = PATIENT_MS, inBackground = false } = {},
      signal = new AbortController().signal,
    ): Promise<Slot | HeldBack> {
      turn += 1;
      return world.pacings[turn % world.pacings.length]!.enter(
        organisation,
        limits,
        withinMs,
        signal,
        inBackground,
      );
    }
    async function begin(options?: Parameters<typeof enter>[0]): Promise<Slot> {
      const entered = await enter(options);
      if (typeof entered === 'string') throw new Error(`Expected a slot, got ${entered}.`);
      return entered;
    }
    /** Ends a conversation, and waits until all processes know. */
    async function end(slot: Slot, slowDown = false): Promise<void> {
      slot.leave(slowDown);
      await world.spread();
    }
    async function isWaiting(entering: Promise<Slot | HeldBack>): Promise<boolean> {
      await world.consider();
      await new Promise(setImmediate);
      return (await Promise.race([entering, Promise.resolve('waiting')])) === 'waiting';
    }

    it('lets as many begin at once as there are connections, and the next one when one has ended', async () => {
      const slots = [await begin(), await begin()];
      const third = enter();
      expect(await isWaiting(third)).toBe(true);
      slots[0]!.leave(false);
      expect(await third).toHaveProperty('leave');
    });

    it('counts every organisation by itself', async () => {
      await begin({ limits: { connections: 1, perMinute: 1 } });
      await begin({ organisation: 'Other', limits: { connections: 1, perMinute: 1 } });
    });

    it('takes a slot back once, however often it is given back', async () => {
      const slots = [await begin(), await begin()];
      await end(slots[0]!);
      await end(slots[0]!);
      await begin();
      expect(await isWaiting(enter())).toBe(true);
    });

    it('lets those begin first who came first', async () => {
      const limits = { connections: 1, perMinute: 60 };
      const order: number[] = [];
      let slot = await begin({ limits });
      const entering: Promise<void>[] = [];
      for (const number of [1, 2, 3, 4]) {
        // Moments apart, since two processes may take the same moment either way.
        await world.advance(200);
        entering.push(
          begin({ limits }).then((next) => {
            order.push(number);
            slot = next;
          }),
        );
        await world.consider();
      }
      for (const each of entering) {
        slot.leave(false);
        await each;
      }
      expect(order).toEqual([1, 2, 3, 4]);
    });

    describe('in the background', () => {
      const limits = { connections: 1, perMinute: 60 };

      it('lets those begin who waited in the background after all others', async () => {
        const order: string[] = [];
        let slot = await begin({ limits });
        const entering = ['first', 'second', 'urgent', 'also urgent'].map(async (name, index) => {
          slot = await begin({ limits, inBackground: index < 2 });
          order.push(name);
        });
        for (let count = 0; count < 4; count += 1) {
          await world.consider();
          await world.advance(200);
        }
        for (let count = 1; count <= 4; count += 1) {
          slot.leave(false);
          while (order.length < count) await world.consider();
        }
        await Promise.all(entering);
        expect(order.slice(0, 2).sort()).toEqual(['also urgent', 'urgent']);
      });

      it('tells a conversation that somebody waits for its end, but not of the background', async () => {
        const slot = await begin({ limits });
        const behind = [enter({ limits, inBackground: true }), enter({ limits, inBackground: true })];
        await world.consider();
        expect(slot.wanted).toBe(0);
        const urgent = enter({ limits });
        await world.consider();
        expect(slot.wanted).toBe(1);
        slot.leave(false);
        const next = (await urgent) as Slot;
        await world.consider();
        expect(next.wanted).toBe(0);
        next.leave(false);
        ((await Promise.race(behind)) as Slot).leave(false);
        await Promise.all(behind);
      });

      it('does not tell of those who wait for the minute', async () => {
        const minute = { connections: 2, perMinute: 1 };
        const slot = await begin({ limits: minute });
        const urgent = enter({ limits: minute });
        await world.consider();
        expect(slot.wanted).toBe(0);
        slot.leave(false);
        await world.advance(MINUTE_MS);
        expect(await urgent).toHaveProperty('leave');
      });

      it('has a minute of its own, which sends nobody else away', async () => {
        const narrow = { limits: { connections: 1, perMinute: 1 }, inBackground: true };
        (await begin(narrow)).leave(false);
        const patient = enter(narrow);
        expect(await enter({ ...narrow, withinMs: 1_000 })).toBe('per minute');
        expect(await enter({ limits, withinMs: 1_000 })).toHaveProperty('leave');
        await world.advance(2 * MINUTE_MS);
        expect(await isWaiting(patient)).toBe(true);
      });

      it('is sent away by what sends everybody away', async () => {
        await end(await begin({ limits }), true);
        const [urgent, behind] = [false, true].map((inBackground) =>
          enter({ limits, withinMs: 1_000, inBackground }),
        );
        expect([await urgent, await behind]).toEqual(['paused', 'paused']);
      });
    });

    it('lets no more begin in a minute than allowed, and says so at once to those who would wait less', async () => {
      const limits = { connections: 10, perMinute: 3 };
      for (const _ of [1, 2, 3]) (await begin({ limits })).leave(false);
      expect(await enter({ limits, withinMs: 50_000 })).toBe('per minute');
      const patient = enter({ limits });
      await world.advance(MINUTE_MS - 2000);
      expect(await isWaiting(patient)).toBe(true);
      await world.advance(2000);
      ((await patient) as Slot).leave(false);
    });

    it('frees the minute as the conversations began, not all at once', async () => {
      const limits = { connections: 10, perMinute: 2 };
      (await begin({ limits })).leave(false);
      await world.advance(30_000);
      (await begin({ limits })).leave(false);
      await world.advance(MINUTE_MS - 30_000);
      (await begin({ limits })).leave(false);
      expect(await enter({ limits, withinMs: 20_000 })).toBe('per minute');
    });

    inLong('allows a million in a minute', async () => {
      const limits = { connections: 3, perMinute: 1_000_000 };
      for (let count = 0; count < 300; count += 1) {
        (await begin({ limits })).leave(false);
        if (count % 50 === 0) await world.advance(400);
      }
    });

    it('pauses for 2 seconds after a slow-down', async () => {
      await end(await begin(), true);
      expect(await enter({ withinMs: 1_500 })).toBe('paused');
      const entering = enter();
      await world.advance(1_500);
      expect(await isWaiting(entering)).toBe(true);
      await world.advance(500);
      expect(await entering).toHaveProperty('leave');
    });

    it('lets one begin at a time after a pause, until one has ended well', async () => {
      await end(await begin(), true);
      await world.advance(2_000);
      const trial = await begin();
      const [second, third] = [enter(), enter()];
      expect(await isWaiting(second)).toBe(true);
      trial.leave(false);
      // The series is over: both begin.
      expect(await second).toHaveProperty('leave');
      expect(await third).toHaveProperty('leave');
    });

    it('doubles the pause with each slow-down in a row, up to ten minutes', async () => {
      for (let pause = 2_000, count = 0; count < 11; count += 1, pause *= 2) {
        await end(await begin(), true);
        const expected = Math.min(pause, LONGEST_PAUSE_MS);
        expect(await enter({ withinMs: expected - 500 })).toBe('paused');
        await world.advance(expected);
      }
    });

    it('begins with 2 seconds again after a conversation has ended well', async () => {
      for (const pause of [2_000, 4_000]) {
        await end(await begin(), true);
        await world.advance(pause);
      }
      await end(await begin(), false);
      await end(await begin(), true);
      await world.advance(2_000);
      await begin();
    });

    it('forgets a series ten minutes after its last pause', async () => {
      for (const pause of [2_000, 4_000]) {
        await end(await begin(), true);
        await world.advance(pause);
      }
      await world.advance(LONGEST_PAUSE_MS + 1_000);
      await Promise.all([begin(), begin()]);
    });

    it('counts the slow-downs of conversations that went on together as one', async () => {
      const limits = { connections: 3, perMinute: 60 };
      const slots = [await begin({ limits }), await begin({ limits }), await begin({ limits })];
      for (const slot of slots) await end(slot, true);
      await world.advance(2_000);
      await begin({ limits });
    });

    it('learns nothing about a pause from conversations that began before it', async () => {
      const [slow, old] = [await begin(), await begin()];
      await end(slow, true);
      await end(old, false);
      expect(await enter({ withinMs: 1_000 })).toBe('paused');
      await world.advance(2_000);
      const trial = await begin();
      const second = enter();
      expect(await isWaiting(second)).toBe(true);
      trial.leave(false);
      await second;
    });

    it('sends those away who wait when a pause comes that is too long for them', async () => {
      const limits = { connections: 1, perMinute: 60 };
      const slot = await begin({ limits });
      const hasty = enter({ limits, withinMs: 1_000 });
      const patient = enter({ limits });
      expect(await isWaiting(hasty)).toBe(true);
      slot.leave(true);
      expect(await hasty).toBe('paused');
      await world.advance(2_000);
      expect(await patient).toHaveProperty('leave');
    });

    it('ends a wait with its signal, and says what held it back', async () => {
      const limits = { connections: 1, perMinute: 2 };
      const slot = await begin({ limits });
      const leaving = new AbortController();
      const waits = enter({ limits }, leaving.signal);
      expect(await isWaiting(waits)).toBe(true);
      leaving.abort();
      expect(await waits).toBe('connections');
      expect(await enter({ limits }, AbortSignal.abort())).toBe('connections');
      // Who has given up holds nobody up, and counts for nothing.
      slot.leave(false);
      (await begin({ limits })).leave(false);
      expect(await enter({ limits, withinMs: 1_000 })).toBe('per minute');
    });

    it('lets the next one in when the first one in the line gives up', async () => {
      const strict = { connections: 1, perMinute: 60 };
      await begin();
      const leaving = new AbortController();
      const first = enter({ limits: strict }, leaving.signal);
      expect(await isWaiting(first)).toBe(true);
      leaving.abort();
      await first;
      expect(await enter()).toHaveProperty('leave');
    });
  });
}
