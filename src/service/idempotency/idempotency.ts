/** `Idempotency-Key`: the same key and the same request within a day get the first response again. */
import { within } from '../../shared/within.ts';
import { GRACE_MS } from '../core/bounds.ts';
import { holdBusy } from '../database/hold-busy.ts';
import type { Deps } from '../deps/deps.ts';
import {
  type EarlierRequest,
  freeKey,
  type KeyedRequest,
  storeResponse,
  takeKey,
  trimTestResponses,
} from './idempotency-store.ts';

/**
 * Responses to test keys cost nothing, so their number and length are bounded. Without its response, a repeated request
 * runs again and gets the same sample result.
 */
const MOST_TEST_RESPONSES = 10_000;
const LONGEST_TEST_RESPONSE = 4_096;
/** The share of the responses after which the older ones are counted. */
const TRIM_SHARE = 1 / 100;
/** How many requests of a locked account look together whether it is free. Each takes a connection. */
const MOST_TOGETHER = 2;

/** A response that can be repeated byte for byte. */
export interface RepeatableResponse {
  readonly status: number;
  readonly body: string;
  /** Whether the response was stored in the transaction that did the work. */
  readonly isStored?: boolean;
  /** How long the response waits to be stored. It is sent then, and stored later. @default as long as it takes */
  readonly longestMs?: number;
}

/** The outcome of a request. */
export type Idempotent =
  | { readonly kind: 'response'; readonly response: RepeatableResponse; readonly isRepeated: boolean }
  /** The key was sent with a different request: 422. */
  | { readonly kind: 'mismatch' }
  /** The same request is already running: 409. */
  | { readonly kind: 'running' };

export interface Idempotency {
  /** Runs the request, or repeats its response. Only responses with the status 200 are repeated. */
  run(keyed: KeyedRequest, run: () => Promise<RepeatableResponse>): Promise<Idempotent>;
}

/** Each process has one, for all endpoints. @param random draws a number from 0 to 1 */
export function createIdempotency(
  { db, processId }: Pick<Deps, 'db' | 'processId'>,
  random = Math.random,
): Idempotency {
  /** The digests of the requests that run in this process. */
  const running = new Map<string, Buffer>();
  const keys = holdBusy((keyed: KeyedRequest) => takeKey(db, keyed, processId), {
    subjectOf: ({ accountId }) => accountId,
    isBusy: (taken) => taken === 'busy',
    most: MOST_TOGETHER,
  });

  async function store(keyed: KeyedRequest, response: RepeatableResponse): Promise<void> {
    await storeResponse(db, keyed, processId, response);
    if (keyed.mode === 'test' && random() < TRIM_SHARE)
      await trimTestResponses(db, keyed.accountId, MOST_TEST_RESPONSES);
  }

  /** @param onLate called with what the database still does about the key when the response is sent */
  async function runOnce(
    keyed: KeyedRequest,
    run: () => Promise<RepeatableResponse>,
    onLate: (writing: Promise<void>) => void,
  ): Promise<Idempotent> {
    const writeWithin = async (ms: number, writing: Promise<void>) => {
      const isWritten = writing.then(() => true);
      if (!(await within(ms, isWritten))) onLate(writing);
    };

    const taken = (await keys.run(keyed)) as EarlierRequest | 'taken';
    if (taken !== 'taken') {
      const { request, status, body } = taken;
      if (!request.equals(keyed.request)) return { kind: 'mismatch' };
      if (status === null || body === null) return { kind: 'running' };
      return { kind: 'response', response: { status, body }, isRepeated: true };
    }
    let response: RepeatableResponse | undefined;
    try {
      response = await run();
    } finally {
      // A key that is not free yet is freed later.
      if (!response || !isKept(keyed, response)) await writeWithin(GRACE_MS, freeKey(db, keyed, processId));
    }
    if (isKept(keyed, response) && !response.isStored) {
      const storing = store(keyed, response);
      const { longestMs } = response;
      await (longestMs === undefined ? storing : writeWithin(longestMs, storing));
    }
    return { kind: 'response', response, isRepeated: false };
  }

  return {
    async run(keyed, run) {
      const name = `${keyed.accountId} ${keyed.mode} ${keyed.route} ${keyed.key}`;
      const other = running.get(name);
      if (other) return { kind: other.equals(keyed.request) ? 'running' : 'mismatch' };
      running.set(name, keyed.request);
      const end = () => void running.delete(name);
      let late: Promise<void> | undefined;
      try {
        return await runOnce(keyed, run, (writing) => {
          late = writing;
        });
      } finally {
        // A request that began meanwhile would lose its key to the late write.
        if (late) late.then(end, end);
        else end();
      }
    },
  };
}

const isKept = ({ mode }: KeyedRequest, { status, body }: RepeatableResponse): boolean =>
  status === 200 && (mode === 'live' || body.length <= LONGEST_TEST_RESPONSE);
