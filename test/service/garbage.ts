/** Takes out the garbage, so that what is left can be looked at. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

export async function collectGarbage(): Promise<void> {
  // Some of it can be seen to be garbage only after other garbage is gone.
  for (let time = 0; time < 3; time += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
}
