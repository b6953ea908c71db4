/** Caches lookups for a moment, so that a busy caller costs the database one query instead of thousands. */
import { RecentMap } from '../core/recent-map.ts';

/** How many entries are cached. Beyond that, the oldest is dropped. */
const MOST = 10_000;

/** Looks up, or returns a cached value. Simultaneous equal lookups share one. */
export type BriefLookup<Value> = (name: string) => Value | Promise<Value>;

interface Entry<Value> {
  readonly since: number;
  readonly pending: Promise<Value>;
  value?: { readonly found: Value };
}

/**
 * @param holdMs how old an entry may get, counted from the start of its lookup
 * @param now a clock that is never set back, in milliseconds
 */
export function holdBriefly<Value>(
  lookUp: (name: string) => Promise<Value>,
  holdMs: number,
  now: () => number = () => performance.now(),
): BriefLookup<Value> {
  const entries = new RecentMap<string, Entry<Value>>(MOST);
  return (name) => {
    const held = entries.get(name);
    if (held && now() - held.since < holdMs) return held.value ? held.value.found : held.pending;
    const entry: Entry<Value> = { since: now(), pending: lookUp(name) };
    entries.set(name, entry);
    entry.pending.then(
      (found) => {
        entry.value = { found };
      },
      // The next caller repeats a failed lookup.
      () => {
        if (entries.get(name) === entry) entries.delete(name);
      },
    );
    return entry.pending;
  };
}
