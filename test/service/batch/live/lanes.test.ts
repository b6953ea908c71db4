import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createLanes, type Laned } from '../../../../src/service/batch/live/lanes.ts';

interface Row extends Laned {
  readonly place: number;
}
const row = (batchId: string, lane: string, place = 0): Row => ({ batchId, lane, place });
const drain = (lanes: ReturnType<typeof createLanes<Row>>) => {
  const rows: Row[] = [];
  for (let next = lanes.next(); next; next = lanes.next()) rows.push(next);
  return rows;
};

it('lets no more begin in a lane than it may, and the others later', () => {
  const lanes = createLanes<Row>(10, 2);
  for (let place = 0; place < 4; place += 1) lanes.add(row('a', 'x', place));
  lanes.add(row('a', 'y', 4));
  const begun = drain(lanes);
  expect(begun.map(({ place }) => place)).toEqual([0, 4, 1]);
  lanes.leave(begun[0]!);
  expect(drain(lanes).map(({ place }) => place)).toEqual([2]);
});

it('lets no more begin than it may in all', () => {
  const lanes = createLanes<Row>(3, 2);
  for (const lane of ['u', 'v', 'w', 'x', 'y']) lanes.add(row('a', lane));
  expect(drain(lanes)).toHaveLength(3);
});

it('prefers the batch that has the fewest at work, in the same lane and in others', () => {
  const lanes = createLanes<Row>(4, 3);
  for (let place = 0; place < 9; place += 1) lanes.add(row('large', 'x', place));
  const first = drain(lanes);
  expect(first).toHaveLength(3);
  lanes.add(row('small', 'x'));
  lanes.leave(first[0]!);
  expect(lanes.next()?.batchId).toBe('small');
});

it('puts one back to the front, and lets nobody begin in a closed lane', () => {
  const lanes = createLanes<Row>(9, 1);
  lanes.add(row('a', 'x', 0));
  lanes.add(row('a', 'x', 1));
  lanes.putBack(lanes.next()!);
  lanes.close('x');
  expect(lanes.next()).toBeUndefined();
  lanes.open('x');
  expect(lanes.next()?.place).toBe(0);
  expect(lanes.sizeOf('a')).toBe(2);
});

it('takes out what waits of a batch, and leaves what is at work and other batches', () => {
  const lanes = createLanes<Row>(9, 1);
  for (let place = 0; place < 3; place += 1) lanes.add(row('a', 'x', place));
  lanes.add(row('b', 'x', 3));
  const begun = lanes.next()!;
  lanes.withdraw('a');
  lanes.withdraw('nobody');
  expect([lanes.size, lanes.sizeOf('a'), lanes.sizeOf('b')]).toEqual([2, 1, 1]);
  lanes.leave(begun);
  expect(drain(lanes).map(({ place }) => place)).toEqual([3]);
  expect(lanes.sizeOf('a')).toBe(0);
});

it('gives each row out once, and forgets what has left, in any order of calls', () => {
  const call = fc.oneof(
    fc.record({
      kind: fc.constant('add' as const),
      batch: fc.integer({ max: 3, min: 0 }),
      lane: fc.integer({ max: 3, min: 0 }),
    }),
    fc.record({ kind: fc.constantFrom('next' as const, 'leave' as const, 'back' as const) }),
  );
  fc.assert(
    fc.property(fc.array(call, { maxLength: 80 }), (calls) => {
      const lanes = createLanes<Row>(4, 2);
      const atWork: Row[] = [];
      const waiting = new Set<Row>();
      calls.forEach((one, place) => {
        if (one.kind === 'add') {
          const added = row(`${one.batch}`, `${one.lane}`, place);
          lanes.add(added);
          waiting.add(added);
        } else if (one.kind === 'next') {
          const next = lanes.next();
          if (next) {
            expect(waiting.delete(next)).toBe(true);
            atWork.push(next);
          } else {
            const free = [...waiting].some(
              ({ lane }) => atWork.filter((other) => other.lane === lane).length < 2,
            );
            expect(free && atWork.length < 4).toBe(false);
          }
        } else {
          const gone = atWork.shift();
          if (!gone) return;
          if (one.kind === 'leave') lanes.leave(gone);
          else {
            lanes.putBack(gone);
            waiting.add(gone);
          }
        }
        expect(lanes.size).toBe(waiting.size + atWork.length);
      });
    }),
  );
});
