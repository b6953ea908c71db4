/** Draws numbers from a hash of an address, so that an address always gets the same numbers. */
import { sha256 } from '../shared/sha256.ts';
import type { Draw } from './sampled-reason.ts';

/** Ignores case, because `Jo@Example.com` and `jo@example.com` reach the same mailbox. */
export function drawFor(address: string): Draw {
  const seed = address.toLowerCase();
  // The first 32 bits.
  return (property, below) => Number.parseInt(sha256(`${property}\n${seed}`).slice(0, 8), 16) % below;
}
