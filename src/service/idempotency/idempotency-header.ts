/** The header `Idempotency-Key` on POST: a repeated request gets its first response, at no extra cost. */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../core/failures.ts';
import type { Key } from '../keys/key.ts';
import type { Idempotency, RepeatableResponse } from './idempotency.ts';
import type { KeyedRequest, KeyScope } from './idempotency-store.ts';

const MAX_LENGTH = 255;
const PUBLIC_KEY =
  'Expected no Idempotency-Key with a public key. Leave out the header, or send the request from your server with a private key.';

/**
 * @param wanted the parsed parameters of the request, independent of its encoding @returns `undefined` for a request
 * without the header, and for a key without an account
 * @throws {Failure} 400 for an empty or a long header, and for any with a public key
 */
export function keyedRequest(
  request: FastifyRequest,
  key: Key,
  route: KeyScope['route'],
  wanted: object,
): KeyedRequest | undefined {
  const scope = scopeOf(request, key, route);
  return scope && { ...scope, request: digestRequest(route, JSON.stringify(wanted)) };
}

/** The same for a request that is large. @param wanted its parameters as JSON, in pieces */
export async function keyedLargeRequest(
  request: FastifyRequest,
  key: Key,
  route: KeyScope['route'],
  wanted: () => AsyncIterable<string>,
): Promise<KeyedRequest | undefined> {
  const scope = scopeOf(request, key, route);
  if (!scope) return undefined;
  const hash = beginDigest(route);
  for await (const piece of wanted()) hash.update(piece);
  return { ...scope, request: hash.digest() };
}

function scopeOf(
  request: FastifyRequest,
  { account, kind, mode }: Key,
  route: KeyScope['route'],
): Omit<KeyedRequest, 'request'> | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined || request.method !== 'POST') return undefined;
  // Every visitor has the public key, so a visitor could use up the keys of the account's own server.
  if (kind === 'public') throw new Failure('badRequest', PUBLIC_KEY);
  if (!account) return undefined;
  if (typeof key !== 'string' || key === '' || key.length > MAX_LENGTH)
    throw new Failure('badRequest', `Expected an Idempotency-Key of 1 to ${MAX_LENGTH} characters.`);
  return { accountId: account.id, mode, route, key };
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
  run: () => Promise<RepeatableResponse>,
): Promise<FastifyReply> {
  const outcome = await idempotency.run(keyed, run);
  if (outcome.kind === 'mismatch') throw new Failure('idempotencyMismatch');
  if (outcome.kind === 'running') throw new Failure('idempotencyRunning', undefined, { 'Retry-After': '1' });
  const { status, body } = outcome.response;
  return reply.code(status).type('application/json; charset=utf-8').send(body);
}

/** SHA-256 of the endpoint and the body, for {@link KeyedRequest}. */
export function digestRequest(endpoint: string, body: Buffer | string): Buffer {
  return beginDigest(endpoint).update(body).digest();
}

const beginDigest = (endpoint: string) => createHash('sha256').update(`${endpoint}\n`);
