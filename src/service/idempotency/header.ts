/** The header `Idempotency-Key` on POST: a repeated request gets its first response, at no extra cost. */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../failures.ts';
import type { Key } from '../keys/key.ts';
import type { Idempotency } from './idempotency.ts';
import type { KeyedRequest } from './store.ts';

const MAX_LENGTH = 255;

/**
 * @param wanted the parsed parameters of the request, independent of its encoding @returns `undefined` for a request
 * without the header, and for a key without an account
 * @throws {Failure} 400 for an empty or a long header
 */
export function keyedRequest(
  request: FastifyRequest,
  { account }: Key,
  endpoint: string,
  wanted: object,
): KeyedRequest | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined || request.method !== 'POST' || !account) return undefined;
  if (typeof key !== 'string' || key === '' || key.length > MAX_LENGTH) {
    throw new Failure('badRequest', `Expected an Idempotency-Key of 1 to ${MAX_LENGTH} characters.`);
  }
  return { accountId: account.id, key, request: digestRequest(endpoint, JSON.stringify(wanted)) };
}

/**
 * Runs the request, or repeats its response byte for byte.
 *
 * @throws {Failure} 422 if the key was sent with a different request, 409 while the first request is running
 */
export async function runOnce(
  idempotency: Idempotency,
  keyed: KeyedRequest,
  reply: FastifyReply,
  run: () => Promise<{ status: number; body: string; isStored: boolean }>,
): Promise<FastifyReply> {
  const outcome = await idempotency.run(keyed, run);
  if (outcome.kind === 'mismatch') throw new Failure('idempotencyMismatch');
  if (outcome.kind === 'running') throw new Failure('idempotencyRunning', undefined, { 'Retry-After': '1' });
  const { status, body } = outcome.response;
  return reply.code(status).type('application/json; charset=utf-8').send(body);
}

/** SHA-256 of the endpoint and the body, for {@link KeyedRequest}. */
export function digestRequest(endpoint: string, body: Buffer | string): Buffer {
  return createHash('sha256').update(`${endpoint}\n`).update(body).digest();
}
