/** Draws numbers from a hash of an address, so that it always gets the same ones. */
import { createHash } from 'node:crypto';
import type { Draw } from './sampled-reason.ts';

/** Case is left out of account: `Jo@Example.com` and `jo@example.com` reach the same mailbox. */
export function drawFor(address: string): Draw {
  const seed = address.toLowerCase();
  return (property, below) =>
    createHash('sha256').update(`${property}\n${seed}`).digest().readUInt32BE(0) % below;
}
