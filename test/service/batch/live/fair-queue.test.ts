import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFairQueue, type QueuedRow } from '../../../../src/service/batch/live/fair-queue.ts';

interface Row extends QueuedRow {
  readonly place: number;
}
const row = (batchId: string, organisation: string, place = 0, accountId = batchId): Row => ({
  ...{ accountId, batchId, organisation, place, domain: `${organisation}.example` },
});
const drain = (queue: ReturnType<typeof createFairQueue<Row>>) => {
  const rows: Row[] = [];
  for (let next = queue.next(); next; next = queue.next()) rows.push(next);
  return rows;
};

it('lets no more begin at an organisation than it may, and the others later', () => {
  const queue = createFairQueue<Row>({ most: 10, mostOfOrganisation: 2 });
  for (let place = 0; place < 4; place += 1) queue.add(row('a', 'x', place));
  queue.add(row('a', 'y', 4));
  const begun = drain(queue);
  expect(begun.map(({ place }) => place)).toEqual([0, 4, 1]);
  queue.leave(begun[0]!);
  expect(drain(queue).map(({ place }) => place)).toEqual([2]);
});

it('lets no more begin than it may in all', () => {
  const queue = createFairQueue<Row>({ most: 3, mostOfOrganisation: 2 });
  for (const organisation of ['u', 'v', 'w', 'x', 'y']) queue.add(row('a', organisation));
  expect(drain(queue)).toHaveLength(3);
});

it('prefers the batch that has the fewest at work, at the same organisation and at others', () => {
  const queue = createFairQueue<Row>({ most: 4, mostOfOrganisation: 3 });
  for (let place = 0; place < 9; place += 1) queue.add(row('large', 'x', place));
  const first = drain(queue);
  expect(first).toHaveLength(3);
  queue.add(row('small', 'x'));
  queue.leave(first[0]!);
  expect(queue.next()?.batchId).toBe('small');
});

it('passes the addresses of a closed domain, and keeps their order', () => {
  const queue = createFairQueue<Row>({ most: 10, mostOfOrganisation: 10 });
  const of = (domain: string, place: number) => ({ ...row('a', 'x', place), domain });
  for (const one of [of('closed', 0), of('closed', 1), of('open', 2), of('closed', 3)]) queue.add(one);
  queue.close('closed');
  expect([queue.next()?.place, queue.next()]).toEqual([2, undefined]);
  queue.open('closed');
  expect([queue.next()?.place, queue.next()?.place, queue.next()?.place]).toEqual([0, 1, 3]);
});

it('puts one back to the front, and lets nobody begin at a closed organisation', () => {
  const queue = createFairQueue<Row>({ most: 9, mostOfOrganisation: 1 });
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
  const queue = createFairQueue<Row>({ most: 9, mostOfOrganisation: 1 });
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
      const queue = createFairQueue<Row>({ most: 4, mostOfOrganisation: 2 });
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

describe('the kept fifth', () => {
  /** Ten at once, of which two are kept. */
  const start = (isKept = () => true) => {
    let time = 0;
    const queue = createFairQueue<Row>({ most: 10, mostOfOrganisation: 99, isKept, now: () => time });
    const add = (account: string) => {
      for (let place = 0; place < 20; place += 1) queue.add(row(`${account} batch`, 'x', place, account));
    };
    const pass = (ms: number) => {
      time += ms;
    };
    return { queue, add, pass };
  };
  const accountsOf = (rows: readonly Row[]) => rows.map(({ accountId }) => accountId);

  it('is there for an account that has none at work', () => {
    const { queue, add } = start();
    add('first');
    expect(drain(queue)).toHaveLength(8);
    add('second');
    expect(accountsOf(drain(queue))).toEqual(['second']);
    add('third');
    expect(accountsOf(drain(queue))).toEqual(['third']);
    add('fourth');
    expect(drain(queue)).toEqual([]);
  });

  it('is not used up by accounts whose mail servers are silent', () => {
    const { queue, add, pass } = start();
    for (const account of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']) add(account);
    expect(drain(queue)).toHaveLength(10);
    add('other');
    expect(drain(queue)).toEqual([]);
    pass(1_000);
    // One after the other, because its mail server answers.
    const [first] = drain(queue);
    expect(first?.accountId).toBe('other');
    expect(drain(queue)).toEqual([]);
    queue.leave(first!);
    expect(accountsOf(drain(queue))).toEqual(['other']);
  });

  it('is for all while one account is alone', () => {
    let isKept = false;
    const { queue, add } = start(() => isKept);
    add('first');
    expect(drain(queue)).toHaveLength(10);
    isKept = true;
    add('second');
    expect(accountsOf(drain(queue))).toEqual(['second']);
  });
});

it('lets accounts take turns, and the batches of an account', () => {
  const queue = createFairQueue<Row>({ most: 1, mostOfOrganisation: 9 });
  for (const batch of ['a1', 'a2', 'a3']) for (const place of [0, 1]) queue.add(row(batch, 'x', place, 'a'));
  for (const place of [0, 1, 2]) queue.add(row('b1', 'x', place, 'b'));
  const begun: string[] = [];
  for (let next = queue.next(); next; next = queue.next()) {
    begun.push(next.batchId);
    queue.leave(next);
  }
  expect(begun).toEqual(['a1', 'b1', 'a2', 'b1', 'a3', 'b1', 'a1', 'a2', 'a3']);
});

it('gives back what waits of an account, and keeps what is at work', () => {
  const queue = createFairQueue<Row>({ most: 2, mostOfOrganisation: 9 });
  for (const place of [0, 1, 2, 3]) queue.add(row('large', place % 2 ? 'x' : 'y', place, 'a'));
  queue.add(row('small', 'x', 4, 'a'));
  queue.add(row('other', 'x', 5, 'b'));
  const [some, others] = [queue.giveBack('a', 1), queue.giveBack('a', 1)];
  expect([...some, ...others].map(({ batchId }) => batchId)).toEqual(['large', 'large']);
  expect([queue.size, queue.sizeOf('large'), queue.sizeOf('small')]).toEqual([4, 2, 1]);
  drain(queue);
  expect(queue.giveBack('a', 9)).toHaveLength(2);
  expect([queue.size, queue.giveBack('a', 9), queue.giveBack('nobody', 9)]).toEqual([2, [], []]);
});
