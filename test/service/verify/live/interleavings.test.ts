import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import type { Verified } from '../../../../src/engine/verifier.ts';
import type { State } from '../../../../src/protocol/result.ts';
import { Failure } from '../../../../src/service/core/failures.ts';
import type { Db } from '../../../../src/service/database/schema.ts';
import { isUnavailable } from '../../../../src/service/database/unavailable.ts';
import { rounds } from '../../../long.mjs';
import { makeAccount, topUp } from '../../support/account.ts';
import { expectExactBooks } from '../../support/books.ts';
import { testDatabase } from '../../support/database.ts';
import { startLive } from '../../support/live.ts';
import { cutConnections, silence } from '../../support/process.ts';
import { resultOf } from '../../support/result.ts';

const { db, connect } = await testDatabase();
const pools = [connect(4, applicationName(0)), connect(4, applicationName(1))];

/** What happens. `process` is one of two, `address` one of three. */
type Step =
  | { do: 'ask'; process: number; address: number; timeoutMs: number }
  | { do: 'answer'; state: State | 'none' | 'bug' }
  | { do: 'crash' | 'cut connections' | 'clear up'; process: number }
  | { do: 'top up' | 'wait' | 'let the kept results expire' };

const process = fc.integer({ min: 0, max: 1 });
const address = fc.integer({ min: 0, max: 2 });
const timeoutMs = fc.constantFrom(1, 3, 10, 3000);
const state = fc.constantFrom<State | 'none' | 'bug'>('deliverable', 'deliverable', 'unknown', 'none', 'bug');
const kinds = <Kind extends Step['do']>(...all: Kind[]) => fc.constantFrom(...all);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: kinds('ask'), process, address, timeoutMs }) },
  { weight: 5, arbitrary: fc.record({ do: kinds('answer'), state }) },
  { weight: 3, arbitrary: fc.record({ do: kinds('crash', 'cut connections', 'clear up'), process }) },
  { weight: 5, arbitrary: fc.record({ do: kinds('top up', 'wait', 'let the kept results expire') }) },
);

/** A fault that the test has made. */
const BUG = new Error('a bug');
let conversations = 0;

/** One world per run: an account, two processes, and a record of what they did. */
async function createWorld() {
  const accountId = await makeAccount(db, 3);
  /** Ends open conversations. The number tells the results apart. */
  const open: ((state: State | 'none' | 'bug') => void)[] = [];
  let deliverable = 0;
  let isOver = false;
  const verifier = ({ address }: { address: string }) =>
    new Promise<Verified | { result: undefined; later: undefined }>((resolve, reject) => {
      const end = (state: State | 'none' | 'bug') => {
        if (state === 'bug') return reject(BUG);
        if (state === 'none') return resolve({ result: undefined, later: undefined });
        if (state === 'deliverable') deliverable += 1;
        conversations += 1;
        return resolve({ result: { ...resultOf(address, state), duration: conversations }, evidence: [] });
      };
      if (isOver) end('deliverable');
      else open.push(end);
    });
  type Process = Awaited<ReturnType<typeof startLive>> & { readonly pool: Db; isDead: boolean };
  const start = async (pool: Db): Promise<Process> => {
    for (;;) {
      try {
        return { ...(await startLive(pool, verifier)), pool, isDead: false };
      } catch (error) {
        // The pool may still have connections that were cut.
        if (!isUnavailable(error)) throw error;
      }
    }
  };
  const processes = await Promise.all(pools.map(start));
  const all: Process[] = [...processes];
  const pending: Promise<unknown>[] = [];
  /** The deliverable results that requests of living processes got. */
  const delivered = new Set<number>();

  const tolerate = (error: unknown) => {
    // The database may take longer than the shortest timeouts.
    const isLate = error instanceof Failure && error.code === 'databaseSlow';
    if (error !== BUG && !isLate && !isUnavailable(error)) throw error;
  };
  const ask = async (process: Process, address: number, timeoutMs: number) => {
    const question = { accountId, address: `a${address}@example.com`, smtp: true, acceptAll: false };
    const answer = await process.live.verify({ ...question, timeoutMs });
    if (answer.kind !== 'result' || process.isDead) return;
    expect(answer.result.email).toBe(question.address);
    if (answer.result.state === 'deliverable') delivered.add(answer.result.duration);
  };
  const answerAll = (state: State | 'none' | 'bug') => {
    for (const end of open.splice(0)) end(state);
  };
  return {
    async run(step: Step): Promise<void> {
      switch (step.do) {
        case 'ask':
          pending.push(ask(processes[step.process]!, step.address, step.timeoutMs).catch(tolerate));
          return;
        case 'answer':
          answerAll(step.state);
          return;
        case 'crash': {
          const dead = processes[step.process]!;
          dead.isDead = true;
          await silence(db, dead.processId);
          await cutConnections(db, applicationName(step.process));
          // What the dead process still does must change nothing.
          processes[step.process] = await start(dead.pool);
          all.push(processes[step.process]!);
          return;
        }
        case 'cut connections':
          await cutConnections(db, applicationName(step.process));
          return;
        case 'clear up':
          pending.push(processes[step.process]!.live.refundLost().catch(tolerate));
          return;
        case 'top up':
          await topUp(db, accountId, 2);
          return;
        case 'let the kept results expire':
          await sql`
            update verifications set expires_at = expires_at - interval '301 seconds'
            where account_id = ${accountId} and state = 'kept'
          `.execute(db);
          return;
        case 'wait':
          await sql`select 1`.execute(db);
      }
    },
    async end() {
      isOver = true;
      answerAll('deliverable');
      await Promise.all(pending);
      await Promise.all(all.map(({ live }) => live.stop(5000)));
      for (const { processId } of all) await silence(db, processId);
      const last = await startLive(db, verifier);
      await last.live.refundLost();
      return { accountId, delivered: delivered.size, deliverable };
    },
  };
}

function applicationName(process: number): string {
  return `process ${process}`;
}

it('books each result once, and gives everything else back, in any order of events', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const world = await createWorld();
      for (const step of steps) await world.run(step);
      const { accountId, delivered, deliverable } = await world.end();

      await expectExactBooks(db);
      const { rows } = await sql<{ running: number; charged: number }>`
        select
          (select count(*) from verifications where account_id = ${accountId} and state = 'running') as running,
          count(*) filter (where why = 'verification') - count(*) filter (where why = 'refund') as charged
        from ledger where account_id = ${accountId}
      `.execute(db);
      const { running, charged } = rows[0]!;
      expect(running).toBe(0);
      expect(charged).toBeLessThanOrEqual(deliverable);
      expect(charged).toBeGreaterThanOrEqual(delivered);
    }),
    { numRuns: rounds(15, 80), endOnFailure: true },
  );
});
