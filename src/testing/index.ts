/**
 * A verification service for tests. Each test decides how it answers. Start with {@link startSandbox}.
 *
 * @module email-verify-widget/testing
 */
export type { Reason, State, VerificationResult } from '../protocol/result.ts';
export type { Answer, AnswerName, AnswerSequence, Answers, GivenReply } from './answers.ts';
export * from './replies.ts';
export { type Preflight, type Sandbox, type SandboxOptions, startSandbox } from './sandbox.ts';
export type { AskedRequest, Script } from './script.ts';
