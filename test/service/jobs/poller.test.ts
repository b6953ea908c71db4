import { expect, it, onTestFinished } from 'vitest';
import { createPoller } from '../../../src/service/jobs/poller.ts';
import { withResolvers } from '../../with-resolvers.ts';

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
  const poller = createPoller({
    ...{ look, everyMs, failure: 'nothing seen' },
    log: (...event) => void logged.push(event),
  });
  onTestFinished(() => poller.stop());
  return { ...poller, logged };
}

it('looks once more if it is called while it looks, however often', async () => {
  const script = scriptedLook();
  const poller = start(script.look);
  poller.wake();
  poller.wake();
  poller.wake();
  expect(script.count()).toBe(1);
  const second = script.begins();
  script.end();
  await second;
  expect(script.count()).toBe(2);
  script.end();
  await poller.stop();
  expect(script.count()).toBe(2);
});

it('looks again by itself, also after a failure, which it logs', async () => {
  let count = 0;
  const { promise: third, resolve: seen } = withResolvers();
  const poller = start(async () => {
    count += 1;
    if (count === 3) seen();
    throw new Error('away');
  }, 1);
  poller.wake();
  await third;
  expect(poller.logged[0]).toEqual(['warn', 'nothing seen', expect.objectContaining({ error: 'Error' })]);
});

it('waits for the look that goes on when it is stopped, and begins no other', async () => {
  const script = scriptedLook();
  const poller = start(script.look);
  poller.wake();
  let isOver = false;
  const stopped = poller.stop().then(() => {
    isOver = true;
  });
  poller.wake();
  await new Promise(setImmediate);
  expect(isOver).toBe(false);
  script.end();
  await stopped;
  poller.wake();
  expect(script.count()).toBe(1);
});
