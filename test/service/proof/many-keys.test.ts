import { expect, it } from 'vitest';
import { prepareChildren } from '../support/children.ts';

const children = await prepareChildren('test/service/proof/many-keys-child.ts');

it('makes key after key in a process that collects garbage all the time', async () => {
  // With what `generateKeyPairSync` returns, most such processes stand still before the 4,500th.
  const child = children.start({ KEYS: '6000', NODE_OPTIONS: '--max-semi-space-size=1' });
  for (let made = 1_000; made <= 6_000; made += 1_000) expect(await child.next()).toBe(made);
  await child.ended();
});
