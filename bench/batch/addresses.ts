/** Addresses and times. */
import { domainOf } from '../engine/places.ts';

let made = 0;

/** New addresses, at each domain in turn. */
export const newAddresses = (count: number, domains: number): string[] =>
  Array.from({ length: count }, (_, index) => {
    made += 1;
    return `user${made}@${domainOf(index % domains)}`;
  });

export async function timed<Result>(work: () => Promise<Result>): Promise<{ result: Result; ms: number }> {
  const began = performance.now();
  const result = await work();
  return { result, ms: performance.now() - began };
}

export const seconds = (ms: number) => ms / 1_000;
