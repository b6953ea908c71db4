/** Keeps the public keys of an issuer, and decides when they are fetched. Knows neither their form nor where they are from. */

import { jsonIn } from '../protocol/json.ts';
import { ask, endWithin, type Fetch, type Reply } from './ask.ts';
import type { Properties } from './encoding.ts';

/** Finds a key (RFC 7517) by its name. */
export type FindKey = (kid: string) => Promise<Properties | 'unknown-key' | 'keys-unavailable'>;

/** After this, the keys are fetched again, and those that are gone are forgotten: a key that has leaked ends with it. */
const FRESH_MS = 3_600_000;
/** A `kid` that is not known causes no fetch sooner, whatever is sent. */
const UNKNOWN_MS = 60_000;
/** A failed fetch is not repeated sooner, and takes no longer. */
const FAILED_MS = 5_000;
/** How long keys are used whose issuer cannot be reached. */
const STALE_MS = 86_400_000;

/** In bytes. A key with RSA has about 400. */
const BODY_LIMIT = 100_000;

/**
 * @param load fetches a JWK Set (RFC 7517). `undefined` if that failed
 * @param now in milliseconds
 */
export function createKeySet(
  load: (signal: AbortSignal) => Promise<Properties | undefined>,
  now: () => number,
): FindKey {
  let keys: ReadonlyMap<unknown, Properties> = new Map();
  let fetchedAt = 0;
  /** 0 if the last fetch has not failed. */
  let failedAt = 0;
  let pending: Promise<void> | undefined;

  /** A clock that was set back makes keys old, too, and not young for years. */
  const since = (time: number) => Math.abs(now() - time);

  async function fetchKeys(signal: AbortSignal): Promise<void> {
    const found = (await load(signal))?.keys;
    if (Array.isArray(found)) {
      // What is not a key has no name.
      keys = new Map(found.map((key) => [key?.kid, key]));
      fetchedAt = now();
      failedAt = 0;
    } else failedAt = now();
    pending = undefined;
  }

  return async (kid) => {
    const age = since(fetchedAt);
    const isDue = age >= FRESH_MS || (age >= UNKNOWN_MS && !keys.has(kid));
    if (isDue && (pending || since(failedAt) >= FAILED_MS)) {
      const outcome = await endWithin(FAILED_MS, undefined, (signal) => {
        pending ??= fetchKeys(signal);
        return pending;
      });
      if (outcome) {
        // At the edge, a request that ends takes its fetch with it. Nobody may wait for that any longer.
        pending = undefined;
        failedAt = now();
      }
    }
    if (since(fetchedAt) >= STALE_MS) return 'keys-unavailable';
    return keys.get(kid) ?? (failedAt ? 'keys-unavailable' : 'unknown-key');
  };
}

/** Fetches JSON, of which the properties are read. `undefined` without a 200. */
export async function fetchProperties(
  fetch: Fetch | undefined,
  url: string,
  signal: AbortSignal,
): Promise<Properties | undefined> {
  // A text, which says why there is no response, has no status.
  const { status, body } = (await ask(fetch, url, { signal }, BODY_LIMIT)) as Reply;
  return status === 200 ? Object(jsonIn(body)) : undefined;
}
