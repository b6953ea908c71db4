import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createFairQueue, type QueuedRow } from '../../../../src/service/batch/live/fair-queue.ts';

interface Row extends QueuedRow {
  readonly place: number;
}
const row = (batchId: string, organisation: string, place = 0): Row => ({ batchId, organisation, place });
const drain = (queue: ReturnType<typeof createFairQueue<Row>>) => {
  const rows: Row[] = [];
  for (let next = queue.next(); next; next = queue.next()) rows.push(next);
  return rows;
};

it('lets no more begin at an organisation than it may, and the others later', () => {
  const queue = createFairQueue<Row>(10, 2);
  for (let place = 0; place < 4; place += 1) queue.add(row('a', 'x', place));
  queue.add(row('a', 'y', 4));
  const begun = drain(queue);
  expect(begun.map(({ place }) => place)).toEqual([0, 4, 1]);
  queue.leave(begun[0]!);
  expect(drain(queue).map(({ place }) => place)).toEqual([2]);
});

it('lets no more begin than it may in all', () => {
  const queue = createFairQueue<Row>(3, 2);
  for (const organisation of ['u', 'v', 'w', 'x', 'y']) queue.add(row('a', organisation));
  expect(drain(queue)).toHaveLength(3);
});

it('prefers the batch that has the fewest at work, at the same organisation and at others', () => {
  const queue = createFairQueue<Row>(4, 3);
  for (let place = 0; place < 9; place += 1) queue.add(row('large', 'x', place));
  const first = drain(queue);
  expect(first).toHaveLength(3);
  queue.add(row('small', 'x'));
  queue.leave(first[0]!);
  expect(queue.next()?.batchId).toBe('small');
});

it('puts one back to the front, and lets nobody begin at a closed organisation', () => {
  const queue = createFairQueue<Row>(9, 1);
  queue.add(row('a', 'x', 0));
  queue.add(row('a', 'x', 1));
  queue.putBack(queue.next()!);
  queue.close('x');
  expect(queue.next()).toBeUndefined();
  queue.open('x');
  expect(queue.next()?.place).toBe(0);
  expect(queue.sizeOf('a')).toBe(2);
});

it('takes out what waits of a batch, and leaves what is at work and other batches', () => {
  const queue = createFairQueue<Row>(9, 1);
  for (let place = 0; place < 3; place += 1) queue.add(row('a', 'x', place));
  queue.add(row('b', 'x', 3));
  const begun = queue.next()!;
  queue.withdraw('a');
  queue.withdraw('nobody');
  expect([queue.size, queue.sizeOf('a'), queue.sizeOf('b')]).toEqual([2, 1, 1]);
  queue.leave(begun);
  expect(drain(queue).map(({ place }) => place)).toEqual([3]);
  expect(queue.sizeOf('a')).toBe(0);
});

it('gives each row out once, and forgets what has left, in any order of calls', () => {
  const call = fc.oneof(
    fc.record({
      kind: fc.constant('add' as const),
      batch: fc.integer({ max: 3, min: 0 }),
      organisation: fc.integer({ max: 3, min: 0 }),
    }),
    fc.record({ kind: fc.constantFrom('next' as const, 'leave' as const, 'back' as const) }),
  );
  fc.assert(
    fc.property(fc.array(call, { maxLength: 80 }), (calls) => {
      const queue = createFairQueue<Row>(4, 2);
      const atWork: Row[] = [];
      const waiting = new Set<Row>();
      calls.forEach((one, place) => {
        if (one.kind === 'add') {
          const added = row(`${one.batch}`, `${one.organisation}`, place);
          queue.add(added);
          waiting.add(added);
        } else if (one.kind === 'next') {
          const next = queue.next();
          if (next) {
            expect(waiting.delete(next)).toBe(true);
            atWork.push(next);
          } else {
            const free = [...waiting].some(
              ({ organisation }) => atWork.filter((other) => other.organisation === organisation).length < 2,
            );
            expect(free && atWork.length < 4).toBe(false);
          }
        } else {
          const gone = atWork.shift();
          if (!gone) return;
          if (one.kind === 'leave') queue.leave(gone);
          else {
            queue.putBack(gone);
            waiting.add(gone);
          }
        }
        expect(queue.size).toBe(waiting.size + atWork.length);
      });
    }),
  );
});
