/** What answers a question about an address: sample results for test keys, mail servers for live ones. */
import type { VerificationResult } from '../../interface/result.ts';

export interface Question {
  /** Without the white space around it. May be anything: what is no address gets a result that says so. */
  readonly address: string;
  /** Whether the mail server is to be asked. */
  readonly smtp: boolean;
  /** Whether to find out if the server takes every address. */
  readonly acceptAll: boolean;
  readonly timeoutMs: number;
}

/** @returns the result, or `undefined` when there is none in time and the question should be asked again */
export type Verifier = (question: Question) => Promise<VerificationResult | undefined>;
