/** What the running service keeps of the config's keys. */
import { expect, it } from 'vitest';
import { createService } from '../../../src/service/app/web.ts';
import type { KeyEntry } from '../../../src/service/config/sections/keys-section.ts';
import { collectGarbage } from '../garbage.ts';
import { settingsWith } from '../support/deps.ts';
import { KEYS } from '../testing.ts';

it('lets go of the keys themselves, which the running service needs no more', async () => {
  const { app, held } = (() => {
    const keys = structuredClone(KEYS) as KeyEntry[];
    return {
      app: createService({ keys, settings: settingsWith() }),
      held: keys.map((entry) => new WeakRef(entry)),
    };
  })();
  await app.ready();
  await collectGarbage();
  expect(held.filter((entry) => entry.deref() !== undefined)).toEqual([]);
  const answer = await app.inject('/v1/verify?api_key=test_private&email=jane@company.example');
  expect(answer.statusCode).toBe(200);
  await app.close();
});
