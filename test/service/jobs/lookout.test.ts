import { expect, it, onTestFinished } from 'vitest';
import { createLookout } from '../../../src/service/jobs/lookout.ts';

/** A look that goes on until the test ends it. */
function scriptedLook() {
  const ends: (() => void)[] = [];
  const begun: (() => void)[] = [];
  let count = 0;
  return {
    look: () =>
      new Promise<void>((end) => {
        count += 1;
        ends.push(end);
        begun.shift()?.();
      }),
    count: () => count,
    end: () => ends.shift()!(),
    begins: () => new Promise<void>((resolve) => void begun.push(resolve)),
  };
}

function start(look: () => Promise<void>, everyMs = 1_000_000) {
  const logged: unknown[][] = [];
  const lookout = createLookout({
    ...{ look, everyMs, failure: 'nothing seen' },
    log: (...event) => void logged.push(event),
  });
  onTestFinished(() => lookout.stop());
  return { ...lookout, logged };
}

it('looks once more if it is called while it looks, however often', async () => {
  const script = scriptedLook();
  const lookout = start(script.look);
  lookout.wake();
  lookout.wake();
  lookout.wake();
  expect(script.count()).toBe(1);
  const second = script.begins();
  script.end();
  await second;
  expect(script.count()).toBe(2);
  script.end();
  await lookout.stop();
  expect(script.count()).toBe(2);
});

it('looks again by itself, also after a failure, which it logs', async () => {
  let count = 0;
  let seen!: () => void;
  const third = new Promise<void>((resolve) => {
    seen = resolve;
  });
  const lookout = start(async () => {
    count += 1;
    if (count === 3) seen();
    throw new Error('away');
  }, 1);
  lookout.wake();
  await third;
  expect(lookout.logged[0]).toEqual(['warn', 'nothing seen', expect.objectContaining({ error: 'Error' })]);
});

it('waits for the look that goes on when it is stopped, and begins no other', async () => {
  const script = scriptedLook();
  const lookout = start(script.look);
  lookout.wake();
  let isOver = false;
  const stopped = lookout.stop().then(() => {
    isOver = true;
  });
  lookout.wake();
  await new Promise(setImmediate);
  expect(isOver).toBe(false);
  script.end();
  await stopped;
  lookout.wake();
  expect(script.count()).toBe(1);
});
