/**
 * Limits the memory of the process. On a large machine, V8 lets the heap grow to four times the live objects before it
 * collects garbage. A batch creates 100 MB of short-lived objects a second, so most of the memory would be garbage.
 */
import { setFlagsFromString } from 'node:v8';

/** V8 collects garbage when the heap has grown by this share of the live objects. */
const GROWTH_PERCENT = 80;

export function keepHeapSmall(): void {
  // V8 ignores flags that it does not know.
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}
