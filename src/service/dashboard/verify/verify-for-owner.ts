/** Verifies an address for the account itself, without a key. The checks are those of `/v1/verify`. */
import { Failure } from '../../core/failures.ts';
import { creditsMissing } from '../../credits/missing-credits.ts';
import { findAccountById } from '../../people/accounts/account-store.ts';
import type { LiveRequest } from '../../verify/live/live-verifications.ts';
import { PATH } from '../../verify/verification.ts';
import type { DashboardDeps } from '../visit.ts';
import type { Asked } from './verify-link.ts';

/** How long the page waits before it reports that the verification is still running. */
const PATIENCE_MS = 5_000;

/** The same question that `/v1/verify` has for a live key. */
export const questionOf = (accountId: string, { address, acceptAll }: Asked) => ({
  ...{ accountId, address, acceptAll },
  smtp: true,
});

/**
 * Counts a form as one request, however many addresses it has: otherwise the first ones of a form would use up the
 * account's second each time.
 *
 * @throws {Failure} 429 over the rate limit
 */
export async function countForm(
  { db, settings, rateLimit }: Pick<DashboardDeps, 'db' | 'settings' | 'rateLimit'>,
  accountId: string,
): Promise<void> {
  const account = await findAccountById(db, accountId);
  const limit = account?.verify_per_second ?? settings.limits.verifyPerSecond;
  const { isExceeded } = await rateLimit.consume({ subject: accountId, endpoint: PATH, limit });
  if (isExceeded) throw new Failure('tooManyRequests', TOO_MANY, { 'Retry-After': '1' });
}

/**
 * Starts the verification, or joins a running one, and waits a while for it. The result is kept, so showing it again
 * costs no credit. Test results are computed, so test mode starts no verification.
 *
 * @throws {Failure} 402 without enough credits, 503 without a way to mail servers
 */
export async function ask(
  { settings, live, isPortClosed }: DashboardDeps,
  accountId: string,
  asked: Asked,
): Promise<void> {
  if (asked.mode === 'test') return;
  if (!live) throw new Failure('liveUnavailable', NO_LIVE);
  if (isPortClosed()) throw new Failure('portClosed', PORT_CLOSED);
  const request: LiveRequest = { ...questionOf(accountId, asked), timeoutMs: PATIENCE_MS, isKept: true };
  const answer = await live.verify(request).catch((error: unknown) => {
    const isBusy = error instanceof Failure && error.code === 'liveBusy';
    throw isBusy ? new Failure('liveBusy', BUSY, error.headers) : error;
  });
  if (answer.kind !== 'no-credits') return;
  const { message } = answer;
  throw creditsMissing({
    ...answer,
    message: message === undefined ? sayNoCredits(settings) : `The address was not verified. ${message}`,
  });
}

/** The form says where they come from. */
const sayNoCredits = ({ billingPage, support }: Pick<DashboardDeps['settings'], 'billingPage' | 'support'>) =>
  `Your account has no credits, so the address was not verified. ${(billingPage ?? support) ? 'Get some' : 'Ask the operator for credits'}, or choose “Test”.`;
const BUSY =
  'This server is too busy at the moment, so the address was not verified. It cost no credit. Try again in a moment.';
const PORT_CLOSED =
  'This server cannot reach any mail server at the moment, so the address was not verified. It cost no credit. Try again later, or choose “Test”.';
const TOO_MANY =
  'Your account has sent too many verifications in a second, so the address was not verified. Try again in a moment.';
const NO_LIVE =
  'Live verification is not available on this server, so the address was not verified. Choose “Test”, or ask the operator for live verification.';
