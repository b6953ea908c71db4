/**
 * Keeps the memory of the process near what it needs. On a large machine, V8 lets the heap grow to four times what is alive
 * before it collects. A batch leaves 100 MB of short-lived objects a second, so most of the memory would be garbage.
 */
import { setFlagsFromString } from 'node:v8';

/** The heap is collected when it has grown by so much of what was alive. */
const GROWTH_PERCENT = 80;

export function keepHeapSmall(): void {
  // V8 ignores flags that it does not know.
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}
