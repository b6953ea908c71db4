/** Adds the signed proof of a result to the response for a page. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { VerificationRequest } from '../../engine/verifier.ts';
import { PROOF_HEADER } from '../../protocol/proof.ts';
import { keyOf } from '../access/access.ts';
import { senderOrigin } from '../access/sender-origin.ts';
import type { Proofs } from '../proof/proofs.ts';
import type { VerifyResponse } from './verify-answer.ts';

/** Whether the result of such a request has a proof. Without SMTP, it says too little. */
export const isProven = ({ smtp }: Pick<VerificationRequest, 'smtp'>): boolean => smtp;

export interface ProofHeaderOptions {
  readonly proofs: Proofs;
  /** Whether the service has its own pages, for which browsers send no `Origin`. */
  readonly servesPages: boolean;
}

/** The response of a private key goes to a server, which needs no proof. */
export async function addProof(
  { proofs, servesPages }: ProofHeaderOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  wanted: VerificationRequest,
  { verified }: Pick<VerifyResponse, 'verified'>,
): Promise<void> {
  const { kind, mode } = keyOf(request);
  if (!verified || kind !== 'public' || !isProven(wanted)) return;
  const origin = senderOrigin(request, servesPages);
  if (origin === undefined) return;
  const signed = proofs.sign(verified.result, { origin, isTest: mode === 'test' });
  const proof = signed instanceof Promise ? await signed : signed;
  if (proof !== undefined) reply.header(PROOF_HEADER, proof);
}
