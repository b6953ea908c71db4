/** `email-verify-widget/testing`: a verification service inside a test, that answers what the test wants. */
export type { Reason, State, VerificationResult } from '../interface/result.ts';
export type { Answer, AnswerName, AnswerSequence, Answers, GivenReply } from './answers.ts';
export * from './replies.ts';
export { type Sandbox, type SandboxOptions, startSandbox } from './sandbox.ts';
export type { AskedRequest, Script } from './script.ts';
