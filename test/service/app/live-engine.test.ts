import { expect, it, onTestFinished, vi } from 'vitest';
import { createMemoryPacing } from '../../../src/engine/pacing/memory-pacing.ts';
import { createLiveEngine } from '../../../src/service/app/live-engine.ts';
import { settleLive } from '../../../src/service/config/sections/live-section.ts';
import { startWorld } from '../../engine/world/world.ts';
import { createFolder } from '../../folder.ts';

/** What it logs first, where a name server knows nothing: no provider, no name of this server, no sender. */
async function lookAtStart(changes: object = {}, elsewhere: readonly string[] = []) {
  const world = await startWorld({});
  onTestFinished(() => world.close());
  const live = settleLive({ ...world.live, dns: [...world.live.dns, ...elsewhere], ...changes }, '/');
  const log = vi.fn();
  const engine = createLiveEngine(live, log, { pacing: createMemoryPacing() });
  onTestFinished(() => engine.stop());
  engine.start();
  await vi.waitFor(() => expect(log).toHaveBeenCalled());
  return log.mock.calls[0]!;
}

it('logs what is not well of its look at the start in one line', async () => {
  const [, event, details] = await lookAtStart();
  const checks: string[] = details.checks.split(', ');
  expect([event, details.problems]).toEqual(['doctor', checks.length]);
  expect(checks).toContain('name servers');
  expect(details.advice).toContain('expected without the Internet');
});

it('reports its lists', async () => {
  const { path: listsFolder, write } = createFolder(onTestFinished);
  write('block-mx.txt', 'mx.abuse.example\n');
  const live = settleLive({ helo: 'verify.test', mailFrom: '', listsFolder }, '/');
  const engine = createLiveEngine(live, () => {}, { pacing: createMemoryPacing() });
  onTestFinished(() => engine.stop());
  const own = { entries: 1, changedAt: expect.any(Date) };
  expect(engine.lists()).toContainEqual({ name: 'block-mx', packaged: 0, own });
});

it.each<[string, boolean, ...string[]]>([
  ['that contacts no private address, with a name server on its machine', false],
  ['with a name server elsewhere', true, '192.0.2.1'],
])('gives the advice to run doctor on a machine %s', async (_what, allowPrivateAddresses, ...elsewhere) => {
  const [, , { advice }] = await lookAtStart({ allowPrivateAddresses }, elsewhere);
  expect(advice).toContain('doctor');
});
