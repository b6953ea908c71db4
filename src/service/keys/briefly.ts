/** Holds what was looked up for a moment, so that a busy caller costs the database one query and not thousands. */

/** How many entries are held. Beyond that, the oldest goes. */
const MOST = 10_000;

/** Looks up, or gives what an equal lookup found a moment ago. Equal lookups at the same time share one. */
export type BriefLookup<Value> = (name: string) => Value | Promise<Value>;

interface Entry<Value> {
  readonly since: number;
  readonly pending: Promise<Value>;
  value?: { readonly found: Value };
}

/**
 * @param holdMs how old an entry may get, counted from the beginning of its lookup
 * @param now a clock that is never set back, in milliseconds
 */
export function holdBriefly<Value>(
  lookUp: (name: string) => Promise<Value>,
  holdMs: number,
  now: () => number = () => performance.now(),
): BriefLookup<Value> {
  const entries = new Map<string, Entry<Value>>();
  return (name) => {
    const held = entries.get(name);
    if (held && now() - held.since < holdMs) return held.value ? held.value.found : held.pending;
    const entry: Entry<Value> = { since: now(), pending: lookUp(name) };
    entries.delete(name);
    entries.set(name, entry);
    if (entries.size > MOST) entries.delete(entries.keys().next().value!);
    entry.pending.then(
      (found) => {
        entry.value = { found };
      },
      // A failed lookup is tried again by the next caller.
      () => {
        if (entries.get(name) === entry) entries.delete(name);
      },
    );
    return entry.pending;
  };
}
