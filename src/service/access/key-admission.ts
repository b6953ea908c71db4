/** Decides whether a credential may be used for this request: the 403 of unknown keys, origins and IP addresses. */
import { Refusal, type RefusalReason } from '../core/failures.ts';
import type { Key } from '../keys/key.ts';

/** Where a request comes from. */
export interface Sender {
  readonly origin: string | undefined;
  readonly ip: string;
}

/** The `Origin` of pages such as files and sandboxed frames, which cannot be trusted. */
const NULL_ORIGIN = 'null';
/** How much of an origin a message quotes. */
const MAX_QUOTED = 100;

/**
 * @param key `undefined` for a credential that the service does not know
 * @param namesOrigin whether the message names the origin
 * @returns the key @throws {Refusal} with the same message for every reason
 */
export function admit(key: Key | undefined, sender: Sender, namesOrigin = false): Key {
  const refuse = (reason: RefusalReason) =>
    new Refusal(reason, 'refused', namesOrigin ? adviceFor(sender.origin) : undefined);
  if (!key) throw refuse('unknown_key');
  const reason = whyNotTrusted(key, sender);
  if (reason) throw refuse(reason);
  return key;
}

/** @returns the reason for the refusal of a page whose origin is not trusted */
export const refusalOf = (origin: string): RefusalReason =>
  origin === NULL_ORIGIN ? 'null_origin' : 'untrusted_origin';

function whyNotTrusted(key: Key, { origin, ip }: Sender): RefusalReason | undefined {
  if (key.kind === 'private') return key.trustsIp(ip) ? undefined : 'untrusted_ip';
  if (origin === undefined) return 'missing_origin';
  return key.trustsOrigin(origin) ? undefined : refusalOf(origin);
}

/** Depends only on the request, so that it does not reveal whether the key exists. */
function adviceFor(origin: string | undefined): string | undefined {
  if (origin === undefined) return undefined;
  if (origin === NULL_ORIGIN) {
    return 'The API key is not accepted here. The page has the origin null, as files and sandboxed frames do. Open it from a server such as http://localhost.';
  }
  const shown = origin.replace(/[^!-~]/g, '?').slice(0, MAX_QUOTED);
  return `The API key is not accepted here. The page has the origin ${shown}. Check the key, or start the service with a config that has the host of the page in trustedDomains.`;
}
