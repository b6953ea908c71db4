/**
 * Counts the work that a program does in one turn of the event loop, while other requests wait. It counts what is read
 * and made, not the time, so it finds the same on a busy machine.
 */

/** The unit is one character that a script reads. Native code reads eight of them in that time. */
const NATIVE = 1 / 8;
/** To map a character by the tables of Unicode takes this many units. */
const TABLES = 16;
const BEYOND_ASCII = /[^\0-\x7f]/;
/** To make a string or another value takes this many units. */
const VALUE = 8;

/** A text that is put together needs new memory. For megabytes of it, the system takes this many units for each character. */
const MEMORY = 3;

export interface Work {
  /** The most work in one turn. */
  readonly most: number;
  readonly turns: number;
}

/** Replaces what reads and makes texts by functions that also count, until the work has ended. */
export async function countWork(run: () => Promise<unknown>): Promise<Work> {
  let [current, most, turns] = [0, 0, 0];
  const undo: (() => void)[] = [];
  const count = <Name extends string>(
    owner: { [name in Name]: (...values: never[]) => unknown },
    name: Name,
    weigh: (self: unknown, values: readonly unknown[], result: unknown) => number,
  ) => {
    const original = owner[name];
    owner[name] = function counted(this: unknown, ...values: never[]) {
      const result = original.apply(this, values);
      current += weigh(this, values, result);
      return result;
    };
    undo.push(() => {
      owner[name] = original;
    });
  };
  const text = String.prototype as never;
  count(text, 'charCodeAt', () => 1);
  for (const name of ['slice', 'trim', 'indexOf', 'includes']) count(text, name, () => VALUE);
  for (const name of ['toLowerCase', 'replaceAll'])
    count(text, name, (self) => VALUE + String(self).length * NATIVE);
  // Whoever maps a text by the tables of Unicode normalises it, too. The tables are scripts, and take longer.
  count(
    text,
    'normalize',
    (self) => VALUE + (BEYOND_ASCII.test(String(self)) ? String(self).length * TABLES : 0),
  );
  count(Array.prototype as never, 'join', (_self, _values, result) => String(result).length * MEMORY);
  count(Buffer as never, 'concat', (_self, _values, result) => (result as Buffer).length * MEMORY);
  count(text, 'split', (_self, _values, result) => VALUE * (result as string[]).length);
  count(
    JSON as never,
    'parse',
    (_self, [json], result) => String(json).length * NATIVE + VALUE * sizeOf(result),
  );
  count(JSON as never, 'stringify', (_self, _values, json) => String(json).length * NATIVE);
  count(
    globalThis as never,
    'decodeURIComponent',
    (_self, [written]) => VALUE + String(written).length * NATIVE,
  );
  count(TextDecoder.prototype as never, 'decode', (_self, _values, result) => String(result).length * NATIVE);
  count(URLSearchParams.prototype as never, 'entries', (self) => 2 * VALUE * (self as URLSearchParams).size);
  count(Map.prototype as never, 'set', () => VALUE);
  count(Set.prototype as never, 'add', () => VALUE);

  // Every other function that looks for a pattern calls this one when it is replaced.
  const { exec } = RegExp.prototype;
  RegExp.prototype.exec = function counted(read) {
    const from = this.global || this.sticky ? this.lastIndex : 0;
    const found = exec.call(this, read);
    // A pattern that is looked for in one place only has read that place.
    const missed = this.sticky ? from + 1 : String(read).length;
    current += Math.max(0, (found ? found.index + found[0].length : missed) - from) * NATIVE;
    return found;
  };
  undo.push(() => {
    RegExp.prototype.exec = exec;
  });

  let isRunning = true;
  const nextTurn = () => {
    most = Math.max(most, current);
    current = 0;
    turns += 1;
    if (isRunning) setImmediate(nextTurn);
  };
  setImmediate(nextTurn);
  try {
    await run();
  } finally {
    isRunning = false;
    for (const restore of undo) restore();
  }
  return { most: Math.max(most, current), turns };
}

/** How many values there are in it. */
function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  let size = 1;
  for (const open: object[] = [value]; open.length > 0; ) {
    for (const inner of Object.values(open.pop()!)) {
      size += 1;
      if (typeof inner === 'object' && inner !== null) open.push(inner);
    }
  }
  return size;
}
