/**
 * Bounds the memory of large bodies, so that nobody can fill it by sending many at once. A body of 8 MiB takes that much
 * while it arrives, and up to 60 MB while it is parsed.
 */
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { networkOf } from '../../shared/ip.ts';
import { MAX_BODY_BYTES } from '../core/bounds.ts';
import { Failure } from '../core/failures.ts';
import { createSlots } from '../core/slots.ts';
import { clientIp } from './client-ip.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose body it is, if a credential was accepted before the body is read. */
    bodyOwner: string | undefined;
    /** What the body holds. Set for the routes of `holdBodies`. */
    held: Held | undefined;
  }
}

/** Bodies that arrive. A slow client takes half a minute for one. */
const arriving = createSlots({ atOnce: 24, ofOne: 8, mostWaiting: 200 });
/** Anybody can send a body that has its credential in it, or none. Those do not delay the others. */
const arrivingOfStrangers = createSlots({ atOnce: 8, ofOne: 2, mostWaiting: 50 });
/** Bodies that have arrived. */
const parsing = createSlots({ atOnce: 4, ofOne: 2 });

const RETRY_SECONDS = 10;

/** The places of a body, until it has been read, its response was sent or its client has gone. */
class Held {
  #frees: (() => void)[] | undefined = [];
  /** Whether the body has, or waits for, its place among those that arrive, and among those that are parsed. */
  isCounted = false;
  isParsed = false;

  /** Frees it at once if the request has ended. */
  add(free: () => void): void {
    if (this.#frees) this.#frees.push(free);
    else free();
  }

  free(): void {
    for (const free of this.#frees ?? []) free();
    this.#frees = undefined;
  }
}

/** Adds to this scope what `countBody` and `beginParsing` need. */
export function holdBodies(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const held = new Held();
    const others = heldOf(request.raw.socket);
    others.add(held);
    request.held = held;
    reply.raw.once('finish', () => {
      others.delete(held);
      held.free();
    });
    done();
  });
}

/** What the requests of a connection hold. */
const ofConnections = new WeakMap<Socket, Set<Held>>();

/** A client that has gone gets no response, and one that waits for earlier ones of its connection has no event. */
function heldOf(socket: Socket): Set<Held> {
  const known = ofConnections.get(socket);
  if (known) return known;
  const all = new Set<Held>();
  socket.once('close', () => {
    for (const each of all) each.free();
  });
  ofConnections.set(socket, all);
  return all;
}

const ownerOf = (request: FastifyRequest) => ({
  id: request.bodyOwner ?? networkOf(clientIp(request)),
  isKnown: request.bodyOwner !== undefined,
});

/** The refusal of a large body while too many wait. */
export const tooManyBodies = () =>
  new Failure('tooManyRequests', 'Expected fewer large bodies at once, got one more. Send it again later.', {
    'Retry-After': String(RETRY_SECONDS),
  });

/**
 * Waits for a place before more of a large body is read.
 *
 * @param size the bytes so far @throws {Failure} 429 if too many wait
 */
export async function countBody(request: FastifyRequest, size: number): Promise<void> {
  const { held } = request;
  if (size <= MAX_BODY_BYTES || !held || held.isCounted) return;
  held.isCounted = true;
  const { id, isKnown } = ownerOf(request);
  const slots = isKnown ? arriving : arrivingOfStrangers;
  let free = slots.take(id);
  if (!free) {
    // Its time does not end while it waits for others.
    if (isKnown) request.awaitUpload();
    free = await slots.wait({ id });
    if (isKnown) request.awaitBody();
  }
  if (!free) throw tooManyBodies();
  held.add(free);
}

/** Waits until a body, or a field of this size in it, may be parsed. */
export async function beginParsing(request: FastifyRequest, size: number): Promise<void> {
  const { held } = request;
  if (size <= MAX_BODY_BYTES || !held || held.isParsed) return;
  held.isParsed = true;
  held.add((await parsing.wait(ownerOf(request)))!);
}

/** Call it when the body has become what it is stored as. What the request then waits for may take long. */
export const freeBody = (request: FastifyRequest): void => request.held?.free();
