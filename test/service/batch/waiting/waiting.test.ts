import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { pauseBatch, resumeBatch } from '../../../../src/service/batch/manage/manage-batches.ts';
import { findDetails } from '../../../../src/service/batch/overview/batch-overview-store.ts';
import { readWaiting } from '../../../../src/service/batch/waiting/waiting.ts';
import { readServerClock } from '../../../../src/service/database/database-clock.ts';
import { createBatch, type TestBatchOptions } from '../../support/batch.ts';
import { emptyBeforeEach, testDatabase } from '../../support/database.ts';
import { makeResults } from '../results/results.ts';

const { db } = await testDatabase();
emptyBeforeEach(db, 'batches', 'paces');

/** What it waits for, a minute after it was created. */
async function waitsOf(id: string, isPortClosed = false) {
  await sql`update batches set created_at = clock_timestamp() - interval '1 minute'`.execute(db);
  const batch = (await findDetails(db, id))!;
  return readWaiting(db, batch, isPortClosed, new Date(await readServerClock(db)));
}
const pace = (organisation: string, minutes: number) =>
  sql`
  insert into paces (organisation, pauses, paused_until)
  values (${organisation}, 1, clock_timestamp() + make_interval(mins => ${minutes}))
`.execute(db);
/** Claims what has no result and no time to be tried again. */
const claimAll = (id: string) =>
  sql`
  update batch_rows set process_id = gen_random_uuid() where batch_id = ${id} and reason is null and due_at is null
`.execute(db);
const make = async (count: number, options: TestBatchOptions = {}) =>
  (await createBatch(db, count, options)).id;

it('says how many addresses are being verified while nothing holds it back', async () => {
  const id = await make(2);
  await claimAll(id);
  await make(1);
  expect(await waitsOf(id)).toEqual({
    ...{ reasons: [{ kind: 'being verified', addresses: 2 }], later: 0, lastRetry: null },
  });
});

it('waits behind other batches if no process has taken any of it', async () => {
  const id = await make(2);
  expect((await waitsOf(id)).reasons).toEqual([{ kind: 'beginning' }]);
  await make(1);
  expect((await waitsOf(id)).reasons).toEqual([{ kind: 'behind others' }]);
  const batch = (await findDetails(db, id))!;
  expect((await readWaiting(db, batch, false, batch.created_at)).reasons).toEqual([{ kind: 'beginning' }]);
});

it('says at once after it is resumed that it goes on, and not that it waits behind others', async () => {
  const id = await make(2);
  await make(1);
  await pauseBatch(db, { id });
  await resumeBatch(db, { id });
  expect((await waitsOf(id)).reasons).toEqual([{ kind: 'beginning' }]);
});

it('waits for organisations of its addresses that asked to slow down, the longest first', async () => {
  const domains = ['gmail.com', 'outlook.com', 'hotmail.com', 'x.example'];
  const id = await make(4, { domain: (place) => domains[place]! });
  await claimAll(id);
  await pace('google', 2);
  await pace('microsoft', 12);
  await pace('yahoo', 5);
  await pace('apple', -1);
  expect((await waitsOf(id)).reasons).toMatchObject([
    { kind: 'slow down', who: 'Microsoft', addresses: 2 },
    { kind: 'slow down', who: 'Google', addresses: 1 },
  ]);
});

it('knows the organisation of a domain by the server of another address there', async () => {
  const mx_record = 'corp-example.mail.protection.outlook.com';
  const own = ['b@corp.example', 'c@other.example'].map((email) => ({ email }));
  const made = [{ email: 'a@Corp.example', mx_record }, ...own];
  const { id } = await makeResults(db, made, { open: 2, mode: 'live' });
  await claimAll(id);
  await pace('microsoft', 12);
  expect((await waitsOf(id)).reasons).toMatchObject([{ who: 'Microsoft', addresses: 1 }]);
});

it('waits until addresses are tried again that got a temporary answer', async () => {
  const id = await make(4);
  await sql`
    update batch_rows set due_at = clock_timestamp() + make_interval(mins => 5 * place) where batch_id = ${id} and place > 1
  `.execute(db);
  await claimAll(id);
  const { reasons, later, lastRetry } = await waitsOf(id);
  expect(reasons).toMatchObject([
    { kind: 'being verified', addresses: 2 },
    { kind: 'retry', addresses: 2, last: lastRetry },
  ]);
  expect(later).toBe(2);
});

it('waits for its owner while it is paused, and for no server then', async () => {
  const id = await make(2, { domain: () => 'gmail.com' });
  await pace('google', 2);
  await pauseBatch(db, { id });
  expect((await waitsOf(id, true)).reasons).toMatchObject([{ kind: 'paused' }]);
});

it('waits for port 25, unless its key is a test key', async () => {
  expect((await waitsOf(await make(2), true)).reasons).toEqual([{ kind: 'port closed' }]);
  const test = await make(2, { mode: 'test' });
  await pace('d0.example', 2);
  expect((await waitsOf(test, true)).reasons).toEqual([{ kind: 'beginning' }]);
});
