/** What `npm run world` shows is true of the engine: one address for every line of its table. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createEngine, type Engine } from '../../../src/engine/engine.ts';
import { loadPublishedLists } from '../../../src/engine/facts/lists.ts';
import { createEngineFacts } from '../../../src/engine/facts/operator-lists.ts';
import { DEFAULT_ENGINE_OPTIONS } from '../../../src/engine/options.ts';
import { createMemoryPacing } from '../../../src/engine/pacing/memory-pacing.ts';
import { REASONS } from '../../../src/protocol/result.ts';
import { STATE_OF_REASON } from '../../../src/protocol/state-of-reason.ts';
import { stopClockInFile } from './clock.ts';
import { LISTS, namesOf, SERVERS, SIGHTS } from './sights.ts';
import { startWorld, type World } from './world.ts';

const clock = stopClockInFile();
const lists = mkdtempSync(join(tmpdir(), 'sights-'));
const faults: unknown[] = [];
let world: World;
let engine: Engine;

beforeAll(async () => {
  for (const [list, entry] of Object.entries(LISTS)) writeFileSync(join(lists, `${list}.txt`), entry);
  world = await startWorld(SERVERS);
  for (const [name, entry] of Object.entries(namesOf((domain) => world.server(domain).ip))) {
    world.dns.set(name, entry);
  }
  engine = createEngine({
    options: { ...DEFAULT_ENGINE_OPTIONS, ...world.live },
    facts: createEngineFacts(loadPublishedLists(), lists),
    pacing: createMemoryPacing(),
    onFault: (error) => faults.push(error),
  });
});
afterAll(async () => {
  await clock.run(engine.close());
  await world.close();
  rmSync(lists, { recursive: true });
});

it.each(SIGHTS)('$address: $what', async (sight) => {
  const { address, flags = '', reason } = sight;
  const timeoutMs = flags.startsWith('--timeout') ? 1500 : 8000;
  const { result, evidence } = await clock.run(
    engine.verifyWithin({
      address,
      smtp: flags !== '--no-smtp',
      acceptAll: flags === '--accept-all',
      timeoutMs,
    }),
  );
  expect(result).toMatchObject({ email: address, reason, state: STATE_OF_REASON[reason] });
  expect(evidence.at(-1)).toMatchObject({ stage: 'verdict' });
  if (reason === 'timeout') expect(result.duration).toBe(timeoutMs / 1000);
});

it('shows every reason that there is', () => {
  expect(new Set(SIGHTS.map(({ reason }) => reason))).toEqual(new Set(REASONS));
});

it('leaves no conversation open, and has no internal fault', async () => {
  await clock.run(Promise.all([...world.servers.values()].map((server) => server.whenEmpty())));
  expect(faults).toEqual([]);
});
