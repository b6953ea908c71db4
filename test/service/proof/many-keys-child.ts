/** Makes keys, and says after each thousand how many there are. */
import { makeKeyPair } from '../../../src/service/proof/key-pair.ts';
import { write } from '../support/child.ts';

for (let made = 1; made <= Number(process.env.KEYS); made += 1) {
  makeKeyPair();
  if (made % 1_000 === 0) write(made);
}
