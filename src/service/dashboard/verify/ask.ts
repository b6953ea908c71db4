/** Verifies an address for the account itself, and not through a key: the checks are those of `/v1/verify`. */
import { findAccountById } from '../../accounts/store.ts';
import { creditsMissing } from '../../credits/missing.ts';
import { Failure } from '../../failures.ts';
import type { LiveRequest } from '../../verify/live/live-verifications.ts';
import { PATH } from '../../verify/verification.ts';
import type { DashboardParts } from '../parts.ts';
import type { DashboardScope } from '../visit.ts';
import type { Asked } from './link.ts';

/** How long the page waits before it says that the verification goes on. */
const PATIENCE_MS = 5_000;

/** As `/v1/verify` asks for a live key. */
export const questionOf = (accountId: string, { address, acceptAll }: Asked) => ({
  ...{ accountId, address, acceptAll },
  smtp: true,
});

/**
 * Begins the verification, or joins the one that runs, and waits a while for it. Its result is kept, so that showing it
 * costs nothing, however often. Test mode needs no beginning: its results are computed.
 *
 * @throws {Failure} 402 without enough credits, 429 over the rate limit, 503 without a way to mail servers
 */
export async function ask(
  { db, live, isPortClosed, rateLimit }: DashboardParts,
  { limits }: DashboardScope['verify'],
  accountId: string,
  asked: Asked,
): Promise<void> {
  const account = await findAccountById(db, accountId);
  const limit = account?.verify_per_second ?? limits.verifyPerSecond;
  const { isExceeded } = await rateLimit.consume({ accountId, endpoint: PATH, limit });
  if (isExceeded) throw new Failure('tooManyRequests', TOO_MANY, { 'Retry-After': '1' });
  if (asked.mode === 'test') return;
  if (!live) throw new Failure('liveUnavailable', NO_LIVE);
  if (isPortClosed()) throw new Failure('portClosed', PORT_CLOSED);
  const request: LiveRequest = {
    ...questionOf(accountId, asked),
    timeoutMs: PATIENCE_MS,
    isKept: true,
  };
  const answer = await live.verify(request).catch((error: unknown) => {
    const isBusy = error instanceof Failure && error.code === 'liveBusy';
    throw isBusy ? new Failure('liveBusy', BUSY, error.headers) : error;
  });
  if (answer.kind !== 'no-credits') return;
  const { needed, available, message } = answer;
  throw creditsMissing(
    needed,
    available,
    message === undefined ? NO_CREDITS : `Nothing was verified. ${message}`,
  );
}

const NO_CREDITS =
  'Your account has no credits. Nothing was verified. Ask the operator for credits, or choose “Test”.';
const BUSY =
  'This server has as many verifications as it can do in time. Nothing was verified, and nothing was charged. Try again in a moment.';
const PORT_CLOSED =
  'This server cannot reach any mail server at the moment. Nothing was verified, and nothing was charged. Try again later, or choose “Test”. The operator can run “admin doctor”.';
const TOO_MANY =
  'Your account has asked for too many verifications within a second. Nothing was verified. Try again in a moment.';
const NO_LIVE =
  'Live verification is not available on this server. Nothing was verified. Choose “Test”, or ask the operator to set "live" in the config.';
