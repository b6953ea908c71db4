/** Live verifications for tests: a verifier that the test answers, and processes that share a database. */
import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import type { VerificationRequest, Verified, Verifier } from '../../../src/engine/verifier.ts';
import type { State } from '../../../src/protocol/result.ts';
import type { Db } from '../../../src/service/database/schema.ts';
import type { Deps } from '../../../src/service/deps/deps.ts';
import {
  createLiveVerifications,
  type LiveOptions,
} from '../../../src/service/verify/live/live-verifications.ts';
import { DEPS } from './deps.ts';
import { PATIENTLY } from './patience.ts';
import { onRows } from './plugins.ts';
import { addProcess } from './process.ts';
import { resultOf } from './result.ts';

/** A verifier whose calls wait for the test. */
export interface ScriptedVerifier {
  readonly verifier: Verifier;
  readonly calls: VerificationRequest[];
  /** Waits for the call with this number, counted from 1. */
  called(number: number): Promise<void>;
  /** Ends all open calls, and with `always` those that come later, too. */
  answer(state?: State, always?: 'always'): void;
  /** Ends all open calls without a result. */
  giveUp(): void;
  fail(error: Error): void;
}

export function scriptVerifier(): ScriptedVerifier {
  const calls: VerificationRequest[] = [];
  interface Call {
    settle(value: Verified | undefined): void;
    fail(error: Error): void;
    readonly address: string;
  }
  const open = new Set<Call>();
  let always: State | undefined;
  const verified = (address: string, state: State) => ({ result: resultOf(address, state), evidence: [] });
  const endAll = (end: (call: Call) => void) => {
    for (const call of open) end(call);
    open.clear();
  };
  return {
    calls,
    verifier: (request) => {
      calls.push(request);
      if (always) return Promise.resolve(verified(request.address, always));
      return new Promise((resolve, reject) =>
        open.add({
          address: request.address,
          settle: (value) => resolve(value ?? { result: undefined, later: undefined }),
          fail: reject,
        }),
      );
    },
    called: async (number) => {
      await vi.waitUntil(() => calls.length >= number, PATIENTLY);
    },
    answer(state = 'deliverable', then) {
      if (then) always = state;
      endAll((call) => call.settle(verified(call.address, state)));
    },
    giveUp: () => endAll((call) => call.settle(undefined)),
    fail: (error) => endAll((call) => call.fail(error)),
  };
}

/** Live verifications as one process has them. */
export async function startLive(
  db: Db,
  verifier: Verifier,
  options: Partial<Deps> & Omit<Partial<LiveOptions>, 'verifier'> = {},
) {
  const processId = options.processId ?? randomUUID();
  await addProcess(db, processId);
  const live = createLiveVerifications(
    { ...DEPS, db, processId, ...options },
    { verifier, pollEveryMs: 20, ...options },
  );
  return { ...live, live, processId };
}

/** The same database, and a wait until so many requests of its process know how they have begun. */
export function countBegun(db: Db) {
  let begun = 0;
  const count = onRows((rows) => {
    begun += rows.filter(({ answer }) => answer === 'started' || answer === 'running').length;
  });
  const counted = db.withPlugin(count);
  return { counted, untilBegun: (count: number) => vi.waitUntil(() => begun >= count, PATIENTLY) };
}

/** Waits until a request has joined the running verification of the account. */
export async function untilJoined(db: Db, accountId: string): Promise<void> {
  const isJoined = db.selectFrom('verifications').select('is_joined').where('account_id', '=', accountId);
  await vi.waitUntil(async () => (await isJoined.executeTakeFirst())?.is_joined, PATIENTLY);
}
