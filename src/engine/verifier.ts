/** The interface between the service and verifiers: sample results for test keys, mail servers for live keys. */
import type { VerificationResult } from '../protocol/result.ts';

/** An address to verify, with its options. */
export interface VerificationRequest {
  /** The address, without white space around it. Text that is not an address gets the reason `invalid_email`. */
  readonly address: string;
  /** Whether to contact the mail server. */
  readonly smtp: boolean;
  /** Whether to find out if the server accepts every address. */
  readonly acceptAll: boolean;
  /** How long the caller waits for the result. The verification may go on afterwards. */
  readonly timeoutMs: number;
  /** After it aborts, no conversation begins for this address. One that has begun goes on. @default never */
  readonly calledOff?: AbortSignal | undefined;
  /**
   * Whether no caller waits for the result. At each organisation, requests of waiting callers go first.
   *
   * @default false
   */
  readonly inBackground?: boolean;
}

/** The steps of a verification, in order. */
export const STAGES = [
  ...['address', 'dns', 'wait', 'connect'],
  ...['banner', 'ehlo', 'starttls', 'mail', 'rcpt', 'probe', 'rset', 'quit'],
  'verdict',
] as const;
export type EvidenceStage = (typeof STAGES)[number];

/** One step of a verification. Its text contains no email address. */
export interface EvidenceStep {
  /** Milliseconds since the verification began. */
  readonly atMs: number;
  /** How long the step took, in milliseconds. */
  readonly tookMs?: number;
  readonly stage: EvidenceStage;
  /** The mail server or the name server. */
  readonly server?: string;
  /** The code of an SMTP reply. */
  readonly code?: number;
  /** The rule that decided: a line of the table in `verdict.ts`, or a rule of `replies/`. */
  readonly rule?: string;
  /** The question and the answer in words. Replies are quoted without addresses. */
  readonly text: string;
}

/** A result with its evidence. */
export interface Verified {
  readonly result: VerificationResult;
  readonly evidence: readonly EvidenceStep[];
}

/** The time ran out before there was a result: status 249 of the interface. */
export interface Unfinished {
  readonly result: undefined;
  /** The later result, if the verification goes on. It never rejects. */
  readonly later: Promise<Verified> | undefined;
}

/** Never rejects because of the address, its servers or the network: each of these faults has a result. */
export type Verifier = (request: VerificationRequest) => Promise<Verified | Unfinished>;
