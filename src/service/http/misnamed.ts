/** Refuses parameters that can only be meant for another one. To ignore them would charge for something else. */
import { distance } from 'fastest-levenshtein';
import { Failure } from '../core/failures.ts';
import type { Parameters } from './parameters.ts';

/** Names that other services use, or that people remember. */
const MEANT = new Map([
  ['callback_url', 'url'],
  ['callback', 'url'],
  ['webhook', 'url'],
  ['webhook_url', 'url'],
  ['email', 'emails'],
  ['list', 'emails'],
  ['catch_all', 'accept_all'],
  ['catchall', 'accept_all'],
  ['fields', 'response_fields'],
]);

/** Shorter names are one letter away from too many others. */
const SHORTEST_MISTYPED = 4;

/** @param known the route's own names @throws {Failure} 400 that names the right one */
export function refuseMisnamed(parameters: Parameters, known: readonly string[]): void {
  for (const name of parameters.keys()) {
    if (known.includes(name)) continue;
    const right = known.find((own) => MEANT.get(name) === own || isMistyped(name, own));
    if (right !== undefined)
      throw new Failure('badRequest', `Expected the parameter ${right}, got ${name}. Rename it.`);
  }
}

/** Compares lengths first, because a name that was sent can be very long. */
const isMistyped = (name: string, own: string): boolean =>
  own.length >= SHORTEST_MISTYPED && Math.abs(name.length - own.length) <= 1 && distance(name, own) === 1;
