/** Decides about a submission on the page's own server: by the proof that came with it, or by asking the service. */

import { type Allow, type Allowance, DEFAULT_ALLOW, isAllowed } from '../protocol/policy.ts';
import {
  type CheckedResult,
  parseResult,
  type Reason,
  STATES,
  type State,
  type VerificationResult,
} from '../protocol/result.ts';
import { ask, endWithin, type NoReply, pause } from './ask.ts';
import { digest, isText } from './encoding.ts';
import { checkedService, refuse } from './options.ts';
import {
  createProofVerifier,
  type ProofRefusal,
  type ProofResult,
  type ProofVerifierOptions,
} from './proof-verifier.ts';

/** The settings of {@link createClient}. */
export interface ClientOptions extends Omit<ProofVerifierOptions, 'maxAge'> {
  /** A private key of the service. It never leaves your server, except to the service. */
  key: string;
  /**
   * How long to wait for the service in milliseconds, with all repetitions. To verify a proof may take as long before.
   *
   * @default 10000
   */
  timeout?: number | undefined;
  /**
   * What to do without an answer, for example when the service cannot be reached: `'open'` accepts the address, and
   * `'closed'` does not. @default 'open'
   */
  policy?: 'open' | 'closed' | undefined;
  /** Which addresses are accepted, as the widget's `allow`. Set it as on the page. @default that of the widget */
  accept?: { [Name in keyof Allow]?: Allow[Name] | undefined } | undefined;
}

/** The settings of one call. */
export interface CallOptions {
  /** Ends the call. It then rejects with the signal's reason, which is an `AbortError`. */
  signal?: AbortSignal | undefined;
  /**
   * Any text of your own. Calls with the same one and the same address cost one credit. The header `Idempotency-Key` has
   * a digest of both.
   */
  idempotencyKey?: string | undefined;
}

/** What a form has sent. The values may have any type. */
export interface Submission {
  /** The address. */
  email?: unknown;
  /** The header `Email-Verify-Proof` of the page's request, as the form sent it. */
  proof?: unknown;
}

/** Whether an address is accepted, and why. */
export interface Decision {
  /** Whether to accept the address. */
  readonly accepted: boolean;
  /**
   * The reason of the result; why there is no result, for example `'timeout'` or `'status-402'`; or why the proof was
   * refused. An address that is missing or too long has `'invalid_email'`. Write it into your log: an unreachable
   * service or a wrong key is seen nowhere else.
   */
  readonly because: Reason | NoReply | `status-${number}` | ProofRefusal;
  /** The result, if there is one. That of a proof has fewer properties. */
  readonly result?: VerificationResult | ProofResult;
}

/** What {@link createClient} makes. */
export interface Client {
  /** Asks the service about an address. Rejects only for `signal`. */
  verifyEmail(address: unknown, options?: CallOptions): Promise<Decision>;
  /**
   * Verifies the proof. Asks the service if there is none, if it has expired, and if its key is not known. Every other
   * refusal rejects the address, whatever `policy` is. Rejects only for `signal`.
   */
  checkSubmission(submission: Submission | null | undefined, options?: CallOptions): Promise<Decision>;
}

/** In characters. RFC 5321 allows an address no more, and the service answers longer ones with a status. */
const LENGTH_LIMIT = 254;
/** In bytes, about 15 times the length of a result. */
const BODY_LIMIT = 10_000;

/** The refusals of a proof that can happen to an honest visitor. */
const ASK_AFTER: readonly ProofRefusal[] = ['absent', 'expired', 'unknown-key', 'keys-unavailable'];

/**
 * Makes a client of the service. Make it once, because it keeps the keys of the service.
 *
 * @throws TypeError for an option that cannot be, or is missing
 */
export function createClient({
  key,
  timeout = 10_000,
  policy = 'open',
  accept,
  ...options
}: ClientOptions): Client {
  const url = `${checkedService(options.service)}/v1/verify`;
  const verifyProof = createProofVerifier(options);
  // A header has to carry it. The message does not repeat it.
  if (!(isText(key) && /^[!-~]+\s*$/.test(key))) refuse('key', 'a private key', typeof key);
  // Above, timers end at once.
  if (!(timeout > 0 && timeout < 2 ** 31)) refuse('timeout', 'milliseconds', timeout);
  if (!/^(open|closed)$/.test(policy)) refuse('policy', 'open or closed', policy);
  const allow: Record<string, unknown> = { ...DEFAULT_ALLOW };
  for (const [name, value] of Object.entries(accept ?? {})) {
    if (value === undefined) continue;
    const isRight =
      name === 'states'
        ? (value as Partial<State[]> | null)?.every?.((each) => STATES.includes(each as State))
        : name in allow && [true, false, 'warn'].includes(value as Allowance);
    if (!isRight) refuse(`accept.${name}`, 'as in allow', value);
    allow[name] = value;
  }
  /** In seconds, as the widget sends it. */
  const wait = `${Math.min(10, Math.max(2, (timeout / 1000) | 0))}`;

  const decide = (result: CheckedResult | ProofResult): Decision => ({
    accepted: isAllowed(result as CheckedResult, allow as never),
    because: (result.reason ?? result.state) as Reason,
    result: result as ProofResult,
  });

  /** Sends the request until there is a result, or a reason why there is none. */
  async function request(
    email: string,
    idempotencyKey: string | undefined,
    signal: AbortSignal,
  ): Promise<CheckedResult | NoReply | `status-${number}`> {
    const headers = {
      Authorization: `Bearer ${key}`,
      // A header can carry a digest of any text. With the address, the key is never that of another request.
      ...(isText(idempotencyKey) && {
        'Idempotency-Key': await digest(`${email.length} ${email}${idempotencyKey}`),
      }),
    };
    for (let tried = 1; ; tried += 1) {
      // By POST, so that the address is in no log of a proxy.
      const body = new URLSearchParams({ email, timeout: wait });
      const reply = await ask(options.fetch, url, { method: 'POST', headers, body, signal }, BODY_LIMIT);
      if (typeof reply === 'string') return reply;
      if (reply.status === 200) {
        const result = parseResult(reply.body);
        return result ? { ...result } : 'malformed';
      }
      // The verification takes longer than usual, or one with the same idempotency key is on its way.
      if (![249, 409].includes(reply.status)) return `status-${reply.status}`;
      // The pauses of the widget: 250, 500, 1000 and then 2000 ms. Only the timeout ends this.
      await pause(Math.min(2000, 125 * 2 ** tried), signal);
    }
  }

  async function verifyEmail(
    address: unknown,
    { signal, idempotencyKey }: CallOptions = {},
  ): Promise<Decision> {
    const email = isText(address) && address.trim();
    // The service would answer with a status, and an open policy accepts that.
    if (!email || email.length > LENGTH_LIMIT) return { accepted: false, because: 'invalid_email' };
    const answer = await endWithin(timeout, signal, (ending) => request(email, idempotencyKey, ending));
    return typeof answer === 'string' ? { accepted: policy === 'open', because: answer } : decide(answer);
  }

  async function checkSubmission(
    submission: Submission | null | undefined,
    call: CallOptions = {},
  ): Promise<Decision> {
    const { email, proof } = Object(submission) as Submission;
    const verdict = await endWithin(timeout, call.signal, () =>
      // It rejects if the store of proofs does. A store that takes too long is the same.
      verifyProof(proof, email).catch(() => 'timeout' as const),
    );
    if (verdict === 'timeout') return verifyEmail(email, call);
    if (verdict.ok) return decide(verdict.result);
    if (ASK_AFTER.includes(verdict.reason)) return verifyEmail(email, call);
    return { accepted: false, because: verdict.reason };
  }

  return { verifyEmail, checkSubmission };
}
