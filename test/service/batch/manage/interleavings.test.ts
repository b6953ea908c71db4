import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { DEFAULT_ENGINE_OPTIONS } from '../../../../src/engine/options.ts';
import type { Verified, Verifier } from '../../../../src/engine/verifier.ts';
import { forgetResults } from '../../../../src/service/batch/batch-store.ts';
import {
  deleteBatch,
  pauseBatch,
  resumeBatch,
  stopBatch,
} from '../../../../src/service/batch/manage/manage-batches.ts';
import { deleteAccount } from '../../../../src/service/deletion/delete-account.ts';
import { inLong } from '../../../in-long.ts';
import { isLong, rounds } from '../../../long.mjs';
import { withResolvers } from '../../../with-resolvers.ts';
import { creditsOf, ledgerOf } from '../../support/account.ts';
import { answers, createBatch, rowsOf, startWorker } from '../../support/batch.ts';
import { expectExactBooks } from '../../support/books.ts';
import { testDatabase } from '../../support/database.ts';
import { settingsWith } from '../../support/deps.ts';
import { cutConnections, silence } from '../../support/process.ts';
import { resultOf } from '../../support/result.ts';

const { db, connect } = await testDatabase();
const nameOf = (process: number) => `process ${process}`;
const pools = [connect(4, nameOf(0)), connect(4, nameOf(1))];
const operators = connect(10, 'operators');

// What was committed as a result, also of batches that have gone since.
await sql`create table stored_results (batch_id text, place integer, reason text)`.execute(db);
await sql`
  create function note_result() returns trigger language plpgsql as $$
  begin
    insert into stored_results values (new.batch_id, new.place, new.reason);
    return null;
  end
  $$
`.execute(db);
await sql`
  create trigger note_result after update of reason on batch_rows
  for each row when (old.reason is null and new.reason is not null) execute function note_result()
`.execute(db);

/** The credits are exact: results that say something cost one each, and everything else is given back once. */
async function expectExact({ id, accountId }: { id: string; accountId: string }, count: number) {
  const { rows } = await sql<{ places: number; results: number; deliverable: number }>`
    select count(distinct place) as places, count(*) as results,
      count(*) filter (where reason = 'accepted_email') as deliverable
    from stored_results where batch_id = ${id}
  `.execute(db);
  const { places, results, deliverable } = rows[0]!;
  const kept = db.selectFrom('batches').selectAll().where('id', '=', id).where('account_id', '=', accountId);
  const left = await kept.executeTakeFirst();
  if (left?.stopped_after === null) expect([left.completed_at, places]).toEqual([expect.any(Date), count]);
  // The duplicate counts with its address, which is the first one.
  else if (left) expect([places, places + 1]).toContain(left.stopped_after);
  expect(results).toBe(places);
  expect(await creditsOf(db, accountId)).toBe(count - deliverable);
  expect((await ledgerOf(db, accountId))['batch-refund'] ?? 0).toBe(deliverable < count ? 1 : 0);
  await expectExactBooks(db);
}

const isOver = async (id: string) => {
  const row = await db.selectFrom('batches').select('completed_at').where('id', '=', id).executeTakeFirst();
  return row === undefined || row.completed_at !== null;
};
const untilOver = (id: string) => vi.waitUntil(() => isOver(id), { interval: 5 });

type Step =
  | { do: 'answer'; state: 'deliverable' | 'unknown' }
  | { do: 'crash' | 'cut connections'; process: number }
  | { do: 'pause' | 'resume' | 'stop' | 'delete' | 'wait' };
const process = fc.integer({ min: 0, max: 1 });
const state = fc.constantFrom<'deliverable' | 'unknown'>('deliverable', 'unknown');
const kinds = <Kind extends Step['do']>(...all: Kind[]) => fc.constantFrom(...all);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: kinds('answer'), state }) },
  { weight: 2, arbitrary: fc.record({ do: kinds('crash', 'cut connections'), process }) },
  { weight: 6, arbitrary: fc.record({ do: kinds('pause', 'resume', 'wait', 'wait') }) },
  { weight: 1, arbitrary: fc.record({ do: kinds('stop', 'delete') }) },
);
/** Deletes it, and gives the credits of unknown results back. */
const remove = ({ id }: { id: string }) => deleteBatch(operators, { id }, { refundUnknown: true });

/** One batch, two processes that verify it, and an operator. */
async function createWorld(count: number) {
  const batch = await createBatch(db, count, { domain: (place) => `d${place % 3}.example` });
  const open: (() => void)[] = [];
  let state: 'deliverable' | 'unknown' = 'deliverable';
  let isEnding = false;
  const verifier: Verifier = ({ address }) =>
    new Promise<Verified>((resolve) => {
      const end = () => resolve({ result: resultOf(address, state), evidence: [] });
      if (isEnding) end();
      else open.push(end);
    });
  const answer = () => {
    for (const end of open.splice(0)) end();
  };
  const perHost = { ...DEFAULT_ENGINE_OPTIONS.perHost, connections: 1 };
  const settings = settingsWith({ live: { perHost, greylistRetries: [0.01] } });
  const start = (process: number) =>
    startWorker(db, verifier, { db: pools[process]!, lookEveryMs: 5, settings });
  const workers = await Promise.all([start(0), start(1)]);
  const all = [...workers];
  const pending: Promise<unknown>[] = [];
  return {
    batch,
    async run(step: Step): Promise<void> {
      switch (step.do) {
        case 'answer':
          state = step.state;
          answer();
          return;
        case 'crash': {
          const dead = workers[step.process]!;
          await silence(db, dead.processId);
          await cutConnections(db, nameOf(step.process));
          pending.push(dead.stop().catch(() => {}));
          workers[step.process] = await start(step.process);
          all.push(workers[step.process]!);
          return;
        }
        case 'cut connections':
          return cutConnections(db, nameOf(step.process));
        case 'pause':
          pending.push(pauseBatch(operators, batch));
          return;
        case 'resume':
          pending.push(resumeBatch(operators, batch));
          return;
        case 'stop':
          pending.push(stopBatch(operators, batch, settings), stopBatch(operators, batch, settings));
          return;
        case 'delete':
          pending.push(remove(batch), remove(batch));
          return;
        case 'wait':
          await sql`select 1`.execute(pools[0]!).catch(() => {});
      }
    },
    async end() {
      await Promise.all(pending);
      await resumeBatch(operators, batch);
      isEnding = true;
      answer();
      await untilOver(batch.id);
      await Promise.all(all.map((worker) => worker.stop(1_000).catch(() => {})));
    },
  };
}

it('charges exactly what was stored, in any order of pauses, deletions, crashes and results', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
      const world = await createWorld(12);
      for (const step of steps) await world.run(step);
      await world.end();
      await expectExact(world.batch, 12);
    }),
    { numRuns: rounds(6, 60), endOnFailure: true },
  );
});

inLong('charges exactly what was stored when twenty deletions meet workers at any moment', async () => {
  for (const after of isLong ? [1, 20, 60, 120, 180, 230, 239, 240] : [1, 120, 240]) {
    const batch = await createBatch(db, 240, { domain: (place) => `d${place % 60}.example` });
    let asked = 0;
    const { promise: isTime, resolve: begin } = withResolvers();
    const verifier: Verifier = async (request) => {
      asked += 1;
      if (asked === after) begin();
      await new Promise(setImmediate);
      return answers(asked % 3 === 0 ? 'unknown' : 'deliverable')(request);
    };
    const settings = settingsWith({ live: { greylistRetries: [] } });
    const workers = await Promise.all(
      pools.map((pool) => startWorker(db, verifier, { db: pool, settings, lookEveryMs: 5 })),
    );
    await isTime;
    const deleted = await Promise.all(Array.from({ length: 20 }, () => remove(batch)));
    expect(deleted.filter(({ kind }) => kind === 'deleted')).toHaveLength(1);
    await Promise.all(workers.map((worker) => worker.stop(1_000)));
    await expectExact(batch, 240);
  }
});

it('meets no deadlock when accounts and batches are deleted while workers write', async () => {
  for (let round = 0; round < rounds(1, 4); round += 1) {
    const domain = (place: number) => `d${place % 300}.example`;
    const batch = await createBatch(db, rounds(1_500, 3_000), { domain });
    const logged: string[] = [];
    let asked = 0;
    const { promise: isTime, resolve: begin } = withResolvers();
    const verifier: Verifier = async (request) => {
      asked += 1;
      if (asked === 300) begin();
      await new Promise(setImmediate);
      return answers('deliverable')(request);
    };
    const log = (_level: unknown, event: string) => void logged.push(event);
    const workers = await Promise.all(
      pools.map((pool) => startWorker(db, verifier, { db: pool, log, lookEveryMs: 5 })),
    );
    await isTime;
    const [isDeleted] = await Promise.all([
      deleteAccount(operators, batch.accountId),
      ...Array.from({ length: 4 }, () => remove(batch)),
    ]);
    expect(isDeleted).toBe(true);
    await Promise.all(workers.map((worker) => worker.stop(1_000)));
    // The one that the server ends to break a deadlock would have logged it, or failed above.
    expect(logged).toEqual([]);
    while (await forgetResults(operators));
    expect(await rowsOf(db, batch.id)).toEqual([]);
    await expectExactBooks(db);
  }
});
