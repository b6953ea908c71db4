/** The interface between the service and what verifies: sample results for test keys, mail servers for live ones. */
import type { VerificationResult } from '../interface/result.ts';

/** What is to be verified, and how. */
export interface VerificationRequest {
  /** Without the white space around it. Text that is not an address gets a result that says so. */
  readonly address: string;
  /** Whether the mail server is contacted. */
  readonly smtp: boolean;
  /** Whether to find out if the server accepts every address. */
  readonly acceptAll: boolean;
  /** How long the caller waits for the result. The verification may go on after it. */
  readonly timeoutMs: number;
  /** Once it aborts, no conversation begins for this address any more. One that has begun goes on. @default never */
  readonly calledOff?: AbortSignal | undefined;
  /**
   * Whether nobody waits for it. At each organisation, requests that somebody waits for go first.
   *
   * @default false
   */
  readonly inBackground?: boolean;
}

/** The steps of a verification, in the order in which they are made. */
export const STAGES = [
  'address',
  'dns',
  'wait',
  'connect',
  'banner',
  'ehlo',
  'starttls',
  'mail',
  'rcpt',
  'probe',
  'rset',
  'quit',
  'verdict',
] as const;
export type EvidenceStage = (typeof STAGES)[number];

/** One step on the way to a result. No text in it holds an email address. */
export interface EvidenceStep {
  /** Milliseconds since the verification began. */
  readonly atMs: number;
  /** How long the step took, in milliseconds. */
  readonly tookMs?: number;
  readonly stage: EvidenceStage;
  /** The mail server or the name server that was asked. */
  readonly server?: string;
  /** The code of an SMTP reply. */
  readonly code?: number;
  /** The rule that decided: a line of the table in `verdict.ts`, or of the rules in `replies/`. */
  readonly rule?: string;
  /** What was asked and what came back, in words. Replies are quoted without addresses. */
  readonly text: string;
}

/** A result, and how it came about. */
export interface Verified {
  readonly result: VerificationResult;
  readonly evidence: readonly EvidenceStep[];
}

/** The time was over before there was a result: the interface's status 249. */
export interface Unfinished {
  readonly result: undefined;
  /** The result of the verification that goes on; it never rejects. Absent when nothing goes on. */
  readonly later: Promise<Verified> | undefined;
}

/** Never rejects because of the address, its servers or the network: each of these has a result. */
export type Verifier = (request: VerificationRequest) => Promise<Verified | Unfinished>;
