import { expect, it } from 'vitest';
import { createClaims } from '../../../../src/service/batch/live/claims.ts';

const row = (batch_id: string, place: number, attempt = 1) => ({
  ...{ account_id: `acc_${batch_id}`, batch_id, place, attempt, address: `u${place}@x.example` },
  ...{ tries: 0, retries: true, accept_all: null, is_old: false },
});

it('knows what was claimed until it is removed', () => {
  const claims = createClaims();
  for (const place of [0, 1]) claims.add(row('a', place));
  claims.add(row('b', 0));
  expect(Object.fromEntries(claims.counts())).toEqual({ acc_a: 2, acc_b: 1 });
  expect([claims.size, claims.batches()]).toEqual([3, ['a', 'b']]);
  claims.remove(row('a', 0));
  claims.remove(row('b', 0));
  expect([claims.all(), claims.counts()]).toEqual([[row('a', 1)], new Map([['acc_a', 1]])]);
  expect(claims.has(row('a', 1))).toBe(true);
  for (const other of [row('a', 1, 2), row('b', 0)]) expect(claims.has(other)).toBe(false);
});

it('forgets what waits when a batch is called off, and keeps what is at work', () => {
  const claims = createClaims();
  for (const place of [0, 1, 2]) claims.add(row('a', place));
  const [first, second] = [claims.begin(row('a', 0)), claims.begin(row('a', 1))];
  claims.putBack(row('a', 1));
  claims.callOff('a');
  claims.callOff('nobody');
  expect([first.aborted, second.aborted, claims.all()]).toEqual([true, true, [row('a', 0)]]);
});

it('calls off only what has begun before', () => {
  const claims = createClaims();
  claims.add(row('a', 0));
  claims.begin(row('a', 0));
  claims.callOff('a');
  claims.add(row('a', 1));
  expect(claims.begin(row('a', 1)).aborted).toBe(false);
  // A row that has left since.
  claims.remove(row('a', 0));
  claims.remove(row('a', 0));
  claims.remove(row('c', 0));
  expect(claims.all()).toEqual([row('a', 1)]);
});
