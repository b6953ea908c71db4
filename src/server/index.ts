/**
 * What your own server needs: {@link createClient} decides about a submission, {@link createProofVerifier} verifies a
 * proof alone, {@link createCallbackReader} reads callbacks, and {@link verifyEmailToken} verifies the token of the browser's
 * Email Verification Protocol. Anyone can post a form without the widget, so a server decides by itself.
 *
 * It runs in Node 20 and later, Deno, Bun and edge runtimes. It needs only WebCrypto and `fetch`.
 *
 * @module email-verify-widget/server
 */

export type { Allow, Allowance } from '../protocol/policy.ts';
export type { Reason, State, VerificationResult } from '../protocol/result.ts';
export type { Fetch, NoReply } from './ask.ts';
export {
  type Callback,
  type CallbackReader,
  type CallbackReaderOptions,
  type CallbackRefusal,
  createCallbackReader,
  type ReceivedCallback,
} from './callback-reader.ts';
export {
  type CallOptions,
  type Client,
  type ClientOptions,
  createClient,
  type Decision,
  type Submission,
} from './client.ts';
export {
  type EmailTokenOptions,
  type EmailTokenRefusal,
  type EmailTokenVerdict,
  verifyEmailToken,
} from './email-token.ts';
export type { Refused } from './encoding.ts';
export {
  createProofVerifier,
  type ProofRefusal,
  type ProofResult,
  type ProofVerdict,
  type ProofVerifierOptions,
} from './proof-verifier.ts';
