/** Counts a request to the API at its end. */
import type { RefusalReason } from '../core/failures.ts';
import type { Key } from '../keys/key.ts';
import type { RefusalKind } from '../usage/refusal-counter.ts';
import type { UsageCounter } from '../usage/usage-counter.ts';

/** The refusals that the owner of a key can fix. */
const KINDS: Readonly<Partial<Record<RefusalReason, RefusalKind>>> = {
  missing_origin: 'origin',
  null_origin: 'origin',
  untrusted_origin: 'origin',
  untrusted_ip: 'ip',
  captcha_missing: 'captcha',
  captcha_failed: 'captcha',
  captcha_foreign: 'captcha',
};

export interface EndedRequest {
  /** The key of the request, and the key that admitted it. */
  readonly key: Key | undefined;
  readonly admitted: Key | undefined;
  /** Why it got a 403. */
  readonly refusal: string | undefined;
  readonly origin: string | undefined;
  readonly ip: () => string;
}

/** Does not count keys of the config, which have no dashboard. */
export function countRequest(counter: UsageCounter, request: EndedRequest): void {
  const { key, admitted, refusal, origin = '', ip } = request;
  // An access token also acts for an account. It has no row among the keys, so the database ignores it.
  if (admitted?.account) counter.countUse(admitted.id);
  const kind = refusal === undefined ? undefined : KINDS[refusal as RefusalReason];
  if (kind && key?.account) counter.countRefusal(key.id, kind, kind === 'ip' ? ip() : origin);
}
